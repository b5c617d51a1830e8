#include "run/script/stage_text.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/render/symbols.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::script {

using plan::Stage;
using runner::Kind;
using Json = nlohmann::ordered_json;

namespace {

// SECONDS rounded up, for bash's integer arithmetic.
std::string whole(double seconds) { return fmt::format("{:.0f}", std::ceil(seconds)); }

std::string rule() { return shell_comment(std::string(118, '-')); }

// Whether the process of STAGE is given SYMBOL (with braces) in an argument, variable or text.
bool is_given(const Stage& stage, std::string_view symbol) {
  return plan::mentions(stage.spec, symbol) ||
         (stage.spec.smoke && stage.spec.smoke->body.find(symbol) != std::string::npos);
}

// "hf:OWNER/NAME@main"
std::string name_of(const plan::Unresolved& written) {
  return matrix::mutable_revision(written.source, written.revision);
}

// The line "HEAD NAME=VALUE... -- WORDS".
std::string command_line(const std::vector<std::string>& inherited, std::vector<std::string> head,
                         const std::vector<std::string>& words) {
  head.emplace_back("--");
  const std::string inherit =
      inherited.empty() ? "" : fmt::format("inherit={} ", shell_quote(join(inherited, " ")));
  return inherit + shell_command(head) + std::string(k_next_line) + shell_command(words) + "\n";
}

// Whether the engine of STAGE's container gives containers names and can mount single files.
bool names_container(const Stage& stage) {
  return stage.spec.container && (stage.spec.container->engine == container::Engine::docker ||
                                  stage.spec.container->engine == container::Engine::podman);
}

// The lines that find the driver files to be mounted.
std::string driver_files(const Stage& stage) {
  std::string text;
  if (stage.driver && stage.gpus == 0 && names_container(stage))
    for (const char* library : container::k_driver_libraries)
      text += fmt::format("{}=$(library_of_driver {})\n", driver_variable(library), library);
  return text;
}

// "{gpu:0},{gpu:1}"
std::string held_gpus(const Stage& stage) {
  std::vector<std::string> gpus;
  for (int gpu = 0; gpu < gpus_of(stage); ++gpu) gpus.push_back(container::held_gpu(gpu));
  return join(gpus, ",");
}

// Whether SERVICE needs an output folder, because it has its own files or writes some.
bool has_output_folder(const Stage& service) {
  return is_given(service, "{out}") || !service.rendered.empty() || !service.spec.copy.empty();
}

}  // namespace

// --- the head of a script

std::string ScriptHead::subject() const {
  const std::string& matrix_file = in_.options.matrix_file;
  const plan::Plan& plan = in_.plan();
  const auto left_out = static_cast<std::size_t>(std::ranges::count_if(
      plan.points, [](const auto& point) { return is_left_out(point.status); }));
  return shell_comment(fmt::format(
      "{}: {} of {} points{}, on the runner{} {}", plan.matrix_name, plan.points.size() - left_out,
      plan.points.size(), matrix_file.empty() ? "" : " of " + matrix_file,
      plan.runners.size() > 1 ? "s" : "", join(plan.runners, " and ")));
}

std::string ScriptHead::places() const {
  std::string text =
      fmt::format("OUT=${{OUT:-by-hand}}\nrunner_here={}\norchestrate_here={}\n",
                  shell_quote(in_.layout.runner), shell_quote(in_.layout.orchestrate));
  for (const auto& [variable, folder] : words_.other_runners())
    text += fmt::format("{0}=${{{0}:-{1}}}\n", variable, shell_quote(folder));
  if (most_gpus() > 0)
    text += fmt::format(
        "GPUS=${{GPUS:-{}}}  # a stage uses as many as it needs, from the first on\n",
        in_.options.gpus.empty() ? first_gpus(most_gpus()) : join(in_.options.gpus, ","));
  return text +
         fmt::format(
             "RUNNER=${{RUNNER:-$runner_here}}\nORCHESTRATE=${{ORCHESTRATE:-$orchestrate_here}}\n"
             "least_port={} last_port={} address={}\n",
             in_.options.ports.first, in_.options.ports.last, *in_.layout.address("connect"));
}

std::string ScriptHead::checks() const {
  std::string text =
      "[[ -d $RUNNER ]] || fail \"the runner's folder $RUNNER does not exist: set RUNNER to its "
      "path\"\n";
  for (const auto& [name, folders] : in_.layout.other_runners)
    text += check_of_other_runner(words_.runner_variable(name), name) + "\n";
  if (const int most = most_gpus(); most > 0)
    text +=
        gpu_variables(most, "$GPUS") +
        fmt::format(
            "[[ ${}{} ]] || fail \"GPUS=$GPUS names fewer than the {} GPUs that a stage needs\"\n",
            k_gpu, most - 1, most);
  return text +
         "[[ -x $ORCHESTRATE ]] || fail \"the program $ORCHESTRATE does not exist: set "
         "ORCHESTRATE to its path\"\n";
}

std::string ScriptHead::own_variables() {
  std::string text = "own=(TMPDIR=\"$tmp\"\n";
  for (const char* variable : ranks::k_shm_variables)
    text += fmt::format("  {}=\"$shm\"\n", variable);
  return text + ")\n";
}

std::string ScriptHead::sed_expressions() const {
  std::string words;
  for (const Stage& stage : in_.plan().stages)
    if (!stage.provided.empty())
      words += fmt::format("  -e {}\n", shell_quote(fmt::format("s|\\{{stage:{}\\}}|{}|g", stage.id,
                                                                sed_text(stage.provided))));
  return words.empty() ? "" : fmt::format("\nelsewhere=(\n{})\n", words);
}

// The largest number of GPUs that a stage holds; 0 if the script does not choose GPUs.
int ScriptHead::most_gpus() const {
  int most = 0;
  if (!in_.options.jobs_have_gpus)
    for (const Stage* stage : in_.wanted.made()) most = std::max(most, gpus_of(*stage));
  return most;
}

std::string ScriptHead::resolve() {
  std::string text;
  for (const Stage* stage : in_.wanted.made()) text += resolve(*stage);
  return text;
}

std::string ScriptHead::resolve(const Stage& stage) {
  std::string text;
  const auto& resolvers = in_.options.resolvers;
  for (const auto& unresolved : stage.unresolved) {
    const auto& written = unresolved.second;
    const auto resolver = std::ranges::find_if(resolvers, [&](const ScriptResolver& one) {
      return written.source.starts_with(one.command.scheme + ":");
    });
    const std::string name = name_of(written);
    const std::size_t number = resolver == resolvers.end() ? 0 : words_.add_revision(name);
    if (number == 0) continue;
    std::vector<std::string> words;
    for (const std::string& one : resolver->command.argv)
      words.push_back(shell_word(shell_text(one, [&](std::string_view part) {
        return symbol_of_resolver(*resolver, written, part);
      })));
    text += "\n" + shell_comment("the commit of " + name);
    text += command_line(
        resolver->command.inherit,
        {"resolve", fmt::format("resolve-{}", number), whole(resolver->command.timeout_s)}, words);
    text += fmt::format("revision{}=$resolved\n", number);
  }
  return text;
}

std::optional<ShellPart> ScriptHead::symbol_of_resolver(const ScriptResolver& resolver,
                                                        const plan::Unresolved& written,
                                                        std::string_view name) const {
  if (name == "model.source") return ShellPart{"", written.source};
  if (name == "model.revision")
    return ShellPart{"", name_of(written).substr(written.source.size() + 1)};
  if (const auto file = render::file_of(name)) return words_.runner_file(resolver.runner, *file);
  return std::nullopt;
}

// --- stages

std::string StageText::command(const Stage& stage, std::vector<std::string> head) const {
  for (const auto& [name, value] : stage.spec.env)
    head.push_back(words_.word(stage, name + "=" + value));
  show_gpus(stage, head);
  std::vector<std::string> start;
  if (stage.spec.container) {
    const auto [settings, in_symbols] = contained(stage);
    start = container::words_of(settings, in_symbols);
    for (const auto& [name, value] : container::variables_around(settings, in_symbols))
      head.push_back(shell_quote(name + "=" + value));
  }
  if (in_.plan().gpu_clock_mhz > 0 && stage.spec.kind == Kind::measure)
    head.push_back(fmt::format("{}={}", execute::k_gpu_clock_variable, in_.plan().gpu_clock_mhz));
  std::vector<std::string> names = stage.spec.inherit;
  names.insert(names.end(), stage.spec.secrets.begin(), stage.spec.secrets.end());
  if (stage.spec.container)
    names.insert(names.end(), std::begin(attempt::k_client_variables),
                 std::end(attempt::k_client_variables));
  const std::vector<std::string> called =
      starter_ ? starter_(stage, head)
               : words_.words(stage, container::put_in(stage.spec.argv, start));
  return command_line(names, std::move(head), called);
}

std::string StageText::provided(const Stage& stage) const {
  return "\n" + shell_comment(stage.id + " is provided") + words_.definition(stage);
}

std::string StageText::title(const Stage& stage, const std::string& before) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : stage.parameters) words.push_back(name + "=" + value.text);
  std::string about = stage.id;
  if (stage.spec.kind == Kind::measure)
    about += " of " + in_.plan().points[stage.points.front()].point.name;
  else if (!words.empty()) about += ": " + join(words, ", ");
  std::string text = before + shell_comment(about);
  if (stage.spec.container && !stage.spec.container->built.empty())
    text += fmt::format("image=$(image_of {})\n", words_.word(stage, stage.spec.container->built));
  text += driver_files(stage);
  if (stage.spec.version && !stage.spec.version->answer.empty())
    text += shell_comment("planned with " + stage.spec.version->answer);
  if (stage.spec.kind != Kind::service) text += words_.definition(stage);
  else if (has_output_folder(stage))
    text += words_.definition(stage) + fmt::format("mkdir -p {}\n", words_.output(stage));
  return text;
}

std::string StageText::tasks(const WantedStages::Tasks& together) const {
  const Stage& first = *together.front();
  std::string text;
  for (const Stage* stage : together) text += title(*stage) + files(*stage);
  if (together.size() > 1) text += "\n";
  if (first.spec.batch) text += jobs(together);
  if (!first.spec.argv.empty())
    text += process(first, "task", first.spec.timeout_s * static_cast<double>(together.size()));
  for (const Stage* stage : together) text += check(*stage);
  return text;
}

std::string StageText::files(const Stage& stage) const {
  std::string lines;
  for (const auto& [to, text] : stage.rendered) {
    const std::string_view unended = text.empty() || text.ends_with('\n') ? "" : "-n ";
    const ShellText whole = words_.rendered(stage, unended.empty() ? text : text + "\n");
    lines +=
        fmt::format("write {}{} {}", unended, words_.output(stage, "/" + to), here_document(whole));
  }
  for (const runner::Copy& copy : stage.spec.copy)
    lines +=
        fmt::format("copy {} {}\n", shell_word({words_.runner_file(stage.spec.runner, copy.from)}),
                    words_.output(stage, "/" + copy.to));
  for (const runner::Place& place : stage.spec.place) {
    std::string named;
    for (const std::string& name : place.stages)
      if (const auto need = stage.needs.find(name); need != stage.needs.end())
        named += fmt::format(" {} {}", name, words_.word(stage, "{stage:" + need->second + "}"));
    lines +=
        fmt::format("place {} {}{}\n", words_.word(stage, place.from),
                    shell_word({{"OUT", "/work/" + folder_name(stage) + "/" + place.to}}), named);
  }
  return lines;
}

std::string StageText::jobs(const WantedStages::Tasks& together) const {
  std::string list;
  std::vector<std::string> folders = {"mkdir", "-p"};
  for (const Stage* stage : together) {
    folders.insert(folders.end(), {words_.output(*stage), words_.word(*stage, "{work}")});
    Json job = {{"id", stage->id}};
    for (const auto& [name, value] : stage->spec.job) job[name] = value;
    list += (list.empty() ? "[" : ",\n ") + shell_lines(words_.filled(*stage, dump(job)));
  }
  return fmt::format("{}\nwrite {} <<END\n{}]\nEND\n", shell_command(folders),
                     words_.word(*together.front(), "{jobs}"), list);
}

std::string StageText::process(const Stage& stage, const std::string& function,
                               double limit_s) const {
  const bool is_named = names_container(stage) || is_given(stage, "{token}");
  std::string text = is_named ? "token=$(new_token)\n" : "";
  if (!stage.spec.shm_prefix.empty())
    text += "shm_prefix=" + words_.word(stage, stage.spec.shm_prefix) + "\n";
  return text + command(stage, {function, folder_name(stage), fmt::format("{}", limit_s)});
}

std::string StageText::check(const Stage& stage) const {
  std::vector<std::string> words = {"made", words_.output(stage)};
  for (const std::string& one : stage.spec.outputs) words.push_back(shell_quote(one));
  return shell_command(words) + "\n";
}

std::string StageText::session(const WantedStages::Session& session) const {
  std::string text = start(*session.service);
  for (const Stage* stage : session.measurements)
    text += title(*stage) + files(*stage) + process(*stage, "measure", stage->spec.timeout_s) +
            check(*stage);
  return text + "\nstop\n";
}

std::string StageText::start(const Stage& service) const {
  return title(service, "\n" + rule()) + files(service) + find_ports(service.spec.ports) +
         lock_clocks(service) + process(service, "serve", service.spec.stop_s) +
         wait_ready(service);
}

std::string StageText::lock_clocks(const Stage& service) const {
  if (in_.plan().gpu_clock_mhz == 0 || service.gpus == 0) return "";
  std::vector<std::string> words = {"lock_clocks", std::to_string(in_.plan().gpu_clock_mhz)};
  for (const std::string& word : in_.options.nvidia_smi) words.push_back(shell_quote(word));
  return visible_gpus(service) + shell_command(words) + "\n";
}

std::string StageText::wait_ready(const Stage& service) const {
  const auto& spec = service.spec;
  // Not checked with curl, whose arguments would expose a token to every user of the machine.
  if (spec.server &&
      (!spec.server->server.token_env.empty() || !spec.server->server.headers.empty()))
    return "# The server requires a token or headers, so only the measurement queries it.\n";
  const auto url = [&](const std::string& port, const std::string& path) {
    if (spec.server) return shell_quote(spec.server->url_of(port)->text() + path);
    return shell_word({{"", fmt::format("http://{}:", *in_.layout.address("connect"))},
                       {port_variable(port), path}});
  };
  std::vector<std::string> words = {"wait_ready",
                                    spec.ready ? whole(spec.ready->timeout_s) : "120"};
  if (spec.ready)
    for (const std::string& port : plan::ports_called(spec, spec.ready->port))
      for (const std::string& path : spec.ready->get) words.push_back(url(port, path));
  std::string text = shell_command(words) + "\n";
  if (!spec.smoke) return text;
  for (const std::string& port : plan::ports_called(spec, spec.smoke->port))
    text +=
        shell_command({"smoke", words[1], url(port, spec.smoke->post),
                       shell_quote(spec.smoke->answer.substr(spec.smoke->answer.rfind('.') + 1)),
                       words_.word(service, spec.smoke->body)}) +
        "\n";
  return text;
}

std::string StageText::find_ports(const std::vector<std::string>& ports) const {
  std::string text, from = "\"$first_port\"";
  for (const std::string& port : ports) {
    if (const auto number = plan::pinned_port(in_.plan(), port)) {
      text += fmt::format("{}=$(this_port {})\n", port_variable(port), *number);
      continue;
    }
    text += fmt::format("{}=$(free_port {})\n", port_variable(port), from);
    from = fmt::format("$(({} + 1))", port_variable(port));
  }
  return text;
}

std::string StageText::left_out() const {
  std::map<std::string, std::vector<std::string>> points;
  for (const plan::PlannedPoint& point : in_.plan().points)
    if (is_left_out(point.status))
      points[fmt::format("{}: {}", to_string(point.status), point.why)].push_back(point.point.name);
  if (points.empty()) return "";
  std::string text = "\n" + rule() + shell_comment("Points that do not run");
  for (const auto& [why, names] : points)
    text += shell_comment(fmt::format("\n{}\n  {}", why, join(names, "\n  ")));
  for (const Stage& stage : in_.plan().stages)
    if (is_left_out(stage.status) && !stage.after_until && !stage.spec.argv.empty()) {
      const std::string line = command(stage, {stage.id});
      text += shell_comment("\n" + line.substr(0, line.size() - 1));
    }
  return text;
}

// --- containers and GPUs

// Adds the mounts of the other members of FIRST's batch, whose process makes the outputs of all
// members.
void StageText::add_mounts_of_members(const Stage& first,
                                      std::vector<container::Mount>& mounts) const {
  const auto group = std::ranges::find_if(
      in_.wanted.tasks(),
      [&](const WantedStages::Tasks& tasks) { return tasks.front() == &first; });
  if (!first.spec.batch || group == in_.wanted.tasks().end()) return;
  for (const Stage* member : *group)
    for (container::Mount mount : plan::container_start(in_.plan(), *member).mounts) {
      if (member != &first && mount.path == "{out}")
        mount.path = fmt::format("{{stage:{}}}", member->id);
      if (member != &first && mount.path == "{work}")
        mount.path = fmt::format("{{{}{}}}", k_work_of, member->id);
      if (!contains(mounts, mount)) mounts.push_back(std::move(mount));
    }
}

attempt::Contained StageText::contained(const Stage& stage) const {
  attempt::Contained made = attempt::contained(in_.plan(), stage, in_.options.containers);
  add_mounts_of_members(stage, made.start.mounts);
  // MIG devices are named here, because CUDA exposes them in the container in a different way.
  for (std::size_t i = 0; i < std::min(made.start.gpus.size(), in_.options.gpus.size()); ++i)
    if (in_.options.gpus[i].starts_with("MIG-")) made.start.gpus[i] = in_.options.gpus[i];
  // Removes mounts of single files of the runner, of runners/common and of the project's templates:
  // these folders may be at different paths where the script runs.
  const attempt::RunnerFolders folders = in_.layout.folders_of(stage.spec.runner);
  const std::string common = in_.layout.runner_file(attempt::Layout::k_common, stage.spec.runner);
  std::erase_if(made.start.mounts, [&](const container::Mount& mount) {
    return mount.path.starts_with(folders.runner + "/") || mount.path.starts_with(common) ||
           mount.path.starts_with(folders.project + "/templates/");
  });
  return made;
}

// Adds the variables that choose the GPUs of STAGE, as `run` does; in jobs, the cluster sets those
// of stages that hold GPUs.
void StageText::show_gpus(const Stage& stage, std::vector<std::string>& head) const {
  const int count = gpus_of(stage);
  if (count > 0 ? in_.options.jobs_have_gpus
                : !in_.options.hides_gpus || plan::chooses_gpus(stage.spec))
    return;
  if (count > 0) head.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  head.push_back(words_.word(stage, container::k_visible_gpus + ("=" + held_gpus(stage))));
}

// "CUDA_VISIBLE_DEVICES=LIST " before a command that uses the GPUs of STAGE; a job already has it.
std::string StageText::visible_gpus(const Stage& stage) const {
  if (in_.options.jobs_have_gpus) return "";
  return fmt::format("{}={} ", container::k_visible_gpus, words_.word(stage, held_gpus(stage)));
}

}  // namespace orch::script
