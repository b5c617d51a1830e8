#include "run/script/stage_text.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "run/script/shell_text.hpp"
#include "run/script/wanted_stages.hpp"
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

std::string literal(std::string text) { return shell_word({{"", std::move(text)}}); }

std::string rule() { return shell_comment(std::string(118, '-')); }

// Whether the process of STAGE is given SYMBOL (with braces) in an argument, variable or text.
bool is_given(const Stage& stage, std::string_view symbol) {
  return plan::mentions(stage.spec, symbol) ||
         (stage.spec.smoke && stage.spec.smoke->body.find(symbol) != std::string::npos);
}

std::optional<ShellPart> part(std::string variable, std::string text = "") {
  return ShellPart{std::move(variable), std::move(text)};
}

// The name of STAGE's folders and log. A measurement has one name per attempt; the script runs the
// first attempt.
std::string folder(const Stage& stage) {
  return stage.spec.kind == Kind::measure ? stage.id + ".1" : stage.id;
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
      inherited.empty() ? "" : fmt::format("inherit={} ", literal(join(inherited, " ")));
  return inherit + shell_command(head) + std::string(k_next_line) + shell_command(words) + "\n";
}

// Whether SERVICE needs an output folder, because it has its own files or writes some.
bool has_output_folder(const Stage& service) {
  return is_given(service, "{out}") || !service.rendered.empty() || !service.spec.copy.empty();
}

}  // namespace

StageText::StageText(const WantedStages& wanted, const attempt::Layout& layout,
                     const ScriptOptions& options)
    : wanted_(wanted), plan_(wanted.plan()), layout_(layout), options_(options) {}

// --- words and commands

ShellPart StageText::runner_file(const std::string& runner, std::string_view file) const {
  if (attempt::Layout::is_common(file) && !layout_.folders_of(runner).common.empty())
    return {"", layout_.runner_file(file, runner)};
  return {runner_variable(runner), attempt::Layout::below_runner(file)};
}

// "RUNNER" has the folder of the default runner; RUNNER_2 and so on have those of others.
std::string StageText::runner_variable(const std::string& runner) const {
  const auto other = layout_.other_runners.find(runner);
  if (other == layout_.other_runners.end()) return "RUNNER";
  return fmt::format("RUNNER_{}", 2 + std::distance(layout_.other_runners.begin(), other));
}

std::optional<ShellPart> StageText::symbol(const Stage& stage, std::string_view name) const {
  struct Context {
    const StageText& text;
    const Stage& stage;
  };
  using In = const Context&;
  using View = std::string_view;
  static constexpr render::Provider<ShellPart, Context> k_provided[] = {
      {"out", [](In in, View) { return part(in.text.variable(in.stage)); }},
      {"work", [](In in, View) { return part("OUT", "/work/" + folder(in.stage)); }},
      {"jobs", [](In in, View) { return part("OUT", "/work/" + folder(in.stage) + "/jobs.json"); }},
      {k_work_of, [](In, View id) { return part("OUT", fmt::format("/work/{}", id)); }},
      {"tmp", [](In, View) { return part("tmp"); }},
      {"token", [](In, View) { return part("token"); }},
      {"block", [](In, View) { return part("", "0"); }},
      {"orchestrate", [](In, View) { return part("ORCHESTRATE"); }},
      {"bind", [](In in, View) { return part("", *in.text.layout_.address("bind")); }},
      {"connect", [](In in, View) { return part("", *in.text.layout_.address("connect")); }},
      {"file:",
       [](In in, View file) {
         return std::optional(in.text.runner_file(in.stage.spec.runner, file));
       }},
      {"stage:", [](In in, View id) { return in.text.output_of(id); }},
      {"port:", [](In, View port) { return part(port_variable(port_name(port))); }},
      {container::k_held_gpu, [](In, View n) { return part(fmt::format("{}{}", k_gpu, n)); }},
      {container::k_driver, [](In, View library) { return part(driver_variable(library)); }},
      {container::k_matching, [](In, View prefix) { return part(comma_names(prefix)); }},
      {plan::k_container, [](In in, View what) { return in.text.of_container(in.stage, what); }},
  };
  static_assert(render::provides(k_provided, {render::Known::launched, render::Known::placed}));
  const auto value = render::value_of(k_provided, Context{*this, stage}, name);
  return value ? value : revision(stage, name);
}

// The published output of the stage ID; a path if the stage has no variable.
std::optional<ShellPart> StageText::output_of(std::string_view id) const {
  const std::string variable = wanted_.variable_of(std::string(id));
  return variable.empty() ? part("OUT", fmt::format("/artifacts/{}/out", id)) : part(variable);
}

// The variable with the resolved revision for SYMBOL.
std::optional<ShellPart> StageText::revision(const Stage& stage, std::string_view symbol) const {
  const auto written = stage.unresolved.find(std::string(symbol));
  if (written == stage.unresolved.end()) return std::nullopt;
  const auto variable = revisions_.find(name_of(written->second));
  if (variable == revisions_.end()) return std::nullopt;
  return ShellPart{variable->second, ""};
}

ShellText StageText::filled(const Stage& stage, std::string_view text,
                            const std::map<std::string, ShellPart>& more) const {
  ShellText parts = shell_text(text, [&](std::string_view name) {
    const auto own = more.find(std::string(name));
    return own == more.end() ? symbol(stage, name) : std::optional(own->second);
  });
  for (const ShellPart& part : parts)
    if (!part.variable.empty() && part.variable.front() != '(') used_.insert(part.variable);
  return parts;
}

std::string StageText::word(const Stage& stage, std::string_view text) const {
  return shell_word(filled(stage, text));
}

std::string StageText::variable(const Stage& stage) const { return wanted_.variable_of(stage.id); }

std::string StageText::below(const Stage& stage, const std::string& path) const {
  return shell_word({{variable(stage), "/" + path}});
}

std::string StageText::output(const Stage& stage) const {
  return shell_word({{variable(stage), ""}});
}

std::string StageText::command(const Stage& stage, std::vector<std::string> head) const {
  for (const auto& [name, value] : stage.spec.env) head.push_back(word(stage, name + "=" + value));
  show_gpus(stage, head);
  std::vector<std::string> start;
  if (stage.spec.container) {
    const auto [settings, in_symbols] = contained(stage);
    start = container::words_of(settings, in_symbols);
    for (const auto& [name, value] : container::variables_around(settings, in_symbols))
      head.push_back(literal(name + "=" + value));
  }
  if (plan_.gpu_clock_mhz > 0 && stage.spec.kind == Kind::measure)
    head.push_back(fmt::format("{}={}", execute::k_gpu_clock_variable, plan_.gpu_clock_mhz));
  std::vector<std::string> names = stage.spec.inherit;
  names.insert(names.end(), stage.spec.secrets.begin(), stage.spec.secrets.end());
  if (stage.spec.container)
    names.insert(names.end(), std::begin(attempt::k_client_variables),
                 std::end(attempt::k_client_variables));
  const std::vector<std::string> called =
      starter_ ? starter_(stage, head) : words(stage, container::put_in(stage.spec.argv, start));
  return command_line(names, std::move(head), called);
}

std::map<std::string, std::string> StageText::other_runners() const {
  std::map<std::string, std::string> folders;
  for (const auto& [name, of] : layout_.other_runners) folders[runner_variable(name)] = of.runner;
  return folders;
}

std::map<std::string, std::string> StageText::revisions() const {
  std::map<std::string, std::string> names;
  for (const auto& [name, variable] : revisions_) names[variable] = name;
  return names;
}

std::set<std::string> StageText::take_used() { return std::exchange(used_, {}); }

// --- the head of a script

std::string StageText::subject() const {
  const std::string& matrix_file = options_.matrix_file;
  const auto left_out = static_cast<std::size_t>(std::ranges::count_if(
      plan_.points, [](const auto& point) { return is_left_out(point.status); }));
  return shell_comment(fmt::format("{}: {} of {} points{}, on the runner{} {}", plan_.matrix_name,
                                   plan_.points.size() - left_out, plan_.points.size(),
                                   matrix_file.empty() ? "" : " of " + matrix_file,
                                   plan_.runners.size() > 1 ? "s" : "",
                                   join(plan_.runners, " and ")));
}

std::string StageText::places() const {
  std::string text = fmt::format("OUT=${{OUT:-by-hand}}\nrunner_here={}\norchestrate_here={}\n",
                                 literal(layout_.runner), literal(layout_.orchestrate));
  for (const auto& [variable, folder] : other_runners())
    text += fmt::format("{0}=${{{0}:-{1}}}\n", variable, literal(folder));
  if (most_gpus() > 0)
    text +=
        fmt::format("GPUS=${{GPUS:-{}}}  # a stage uses as many as it needs, from the first on\n",
                    options_.gpus.empty() ? first_gpus(most_gpus()) : join(options_.gpus, ","));
  return text +
         fmt::format(
             "RUNNER=${{RUNNER:-$runner_here}}\nORCHESTRATE=${{ORCHESTRATE:-$orchestrate_here}}\n"
             "least_port={} last_port={} address={}\n",
             options_.ports.first, options_.ports.last, *layout_.address("connect"));
}

std::string StageText::checks() const {
  std::string text =
      "[[ -d $RUNNER ]] || fail \"the runner's folder $RUNNER is not here: set RUNNER to it\"\n";
  for (const auto& [name, folders] : layout_.other_runners)
    text += check_of_other_runner(runner_variable(name), name) + "\n";
  if (const int most = most_gpus(); most > 0)
    text +=
        gpu_variables(most, "$GPUS") +
        fmt::format("[[ ${}{} ]] || fail \"GPUS=$GPUS names fewer than the {} GPUs of a stage\"\n",
                    k_gpu, most - 1, most);
  return text +
         "[[ -x $ORCHESTRATE ]] || fail \"the program $ORCHESTRATE is not here: set ORCHESTRATE to "
         "it\"\n";
}

std::string StageText::own_variables() {
  std::string text = "own=(TMPDIR=\"$tmp\"\n";
  for (const char* variable : ranks::k_shm_variables)
    text += fmt::format("  {}=\"$shm\"\n", variable);
  return text + ")\n";
}

std::string StageText::sed_expressions() const {
  std::string words;
  for (const Stage& stage : plan_.stages)
    if (!stage.provided.empty())
      words += fmt::format("  -e {}\n", literal(fmt::format("s|\\{{stage:{}\\}}|{}|g", stage.id,
                                                            sed_text(stage.provided))));
  return words.empty() ? "" : fmt::format("\nelsewhere=(\n{})\n", words);
}

std::string StageText::resolve(const Stage& stage) {
  std::string text;
  for (const auto& [symbol, written] : stage.unresolved) {
    const std::string name = name_of(written);
    const auto resolver = std::ranges::find_if(options_.resolvers, [&](const ScriptResolver& one) {
      return written.source.starts_with(one.command.scheme + ":");
    });
    if (revisions_.contains(name) || resolver == options_.resolvers.end()) continue;
    const std::size_t number = revisions_.size() + 1;
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
    revisions_[name] = fmt::format("revision{}", number);
  }
  return text;
}

std::optional<ShellPart> StageText::symbol_of_resolver(const ScriptResolver& resolver,
                                                       const plan::Unresolved& written,
                                                       std::string_view name) const {
  if (name == "model.source") return ShellPart{"", written.source};
  if (name == "model.revision")
    return ShellPart{"", name_of(written).substr(written.source.size() + 1)};
  if (name.starts_with("file:")) return runner_file(resolver.runner, name.substr(5));
  return std::nullopt;
}

// --- stages

std::string StageText::definition(const Stage& stage) const {
  if (!stage.provided.empty())
    return fmt::format("{}={}\n", variable(stage), literal(stage.provided));
  return fmt::format("{}=$OUT/{}/{}/out\n", variable(stage),
                     stage.spec.kind == Kind::service ? "work" : "artifacts", folder(stage));
}

std::string StageText::provided(const Stage& stage) const {
  return "\n" + shell_comment(stage.id + " is provided") + definition(stage);
}

std::string StageText::title(const Stage& stage, const std::string& before) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : stage.parameters) words.push_back(name + "=" + value.text);
  std::string about = stage.id;
  if (stage.spec.kind == Kind::measure)
    about += " of " + plan_.points[stage.points.front()].point.name;
  else if (!words.empty()) about += ": " + join(words, ", ");
  std::string text = before + shell_comment(about);
  if (stage.spec.container && !stage.spec.container->built.empty())
    text += fmt::format("image=$(image_of {})\n", word(stage, stage.spec.container->built));
  text += driver_files(stage);
  if (stage.spec.version && !stage.spec.version->answer.empty())
    text += shell_comment("planned with " + stage.spec.version->answer);
  if (stage.spec.kind != Kind::service) text += definition(stage);
  else if (has_output_folder(stage))
    text += definition(stage) + fmt::format("mkdir -p {}\n", output(stage));
  return text;
}

std::string StageText::tasks(const WantedStages::Tasks& together) {
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
    const ShellText whole =
        shell_text(unended.empty() ? text : text + "\n",
                   [&](std::string_view name) { return revision(stage, name); });
    for (const ShellPart& part : whole)
      if (!part.variable.empty()) used_.insert(part.variable);
    lines += fmt::format("write {}{} {}", unended, below(stage, to), here_document(whole));
  }
  for (const runner::Copy& copy : stage.spec.copy)
    lines += fmt::format("copy {} {}\n", shell_word({runner_file(stage.spec.runner, copy.from)}),
                         below(stage, copy.to));
  for (const runner::Place& place : stage.spec.place) {
    std::string named;
    for (const std::string& name : place.stages)
      if (const auto need = stage.needs.find(name); need != stage.needs.end())
        named += fmt::format(" {} {}", name, word(stage, "{stage:" + need->second + "}"));
    lines += fmt::format("place {} {}{}\n", word(stage, place.from),
                         shell_word({{"OUT", "/work/" + folder(stage) + "/" + place.to}}), named);
  }
  return lines;
}

std::string StageText::jobs(const WantedStages::Tasks& together) const {
  std::string list;
  std::vector<std::string> folders = {"mkdir", "-p"};
  for (const Stage* stage : together) {
    folders.insert(folders.end(), {output(*stage), word(*stage, "{work}")});
    Json job = {{"id", stage->id}};
    for (const auto& [name, value] : stage->spec.job) job[name] = value;
    list += (list.empty() ? "[" : ",\n ") + shell_lines(filled(*stage, dump(job)));
  }
  return fmt::format("{}\nwrite {} <<END\n{}]\nEND\n", shell_command(folders),
                     word(*together.front(), "{jobs}"), list);
}

std::string StageText::process(const Stage& stage, const std::string& function,
                               double limit_s) const {
  const bool is_named = names_container(stage) || is_given(stage, "{token}");
  std::string text = is_named ? "token=$(new_token)\n" : "";
  if (!stage.spec.shm_prefix.empty())
    text += "shm_prefix=" + word(stage, stage.spec.shm_prefix) + "\n";
  return text + command(stage, {function, folder(stage), fmt::format("{}", limit_s)});
}

std::string StageText::check(const Stage& stage) const {
  std::vector<std::string> words = {"made", output(stage)};
  for (const std::string& one : stage.spec.outputs) words.push_back(literal(one));
  return shell_command(words) + "\n";
}

std::string StageText::session(const WantedStages::Session& session) {
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
  if (plan_.gpu_clock_mhz == 0 || service.gpus == 0) return "";
  std::vector<std::string> words = {"lock_clocks", std::to_string(plan_.gpu_clock_mhz)};
  for (const std::string& word : options_.nvidia_smi) words.push_back(literal(word));
  return visible_gpus(service) + shell_command(words) + "\n";
}

std::string StageText::wait_ready(const Stage& service) const {
  const auto& spec = service.spec;
  // Not checked with curl, whose arguments would expose a token to every user of the machine.
  if (spec.server &&
      (!spec.server->server.token_env.empty() || !spec.server->server.headers.empty()))
    return "# It wants a token or headers, and is first asked by the measurement.\n";
  const auto url = [&](const std::string& port, const std::string& path) {
    if (spec.server) return literal(spec.server->url_of(port)->text() + path);
    return shell_word({{"", fmt::format("http://{}:", *layout_.address("connect"))},
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
    text += shell_command({"smoke", words[1], url(port, spec.smoke->post),
                           literal(spec.smoke->answer.substr(spec.smoke->answer.rfind('.') + 1)),
                           word(service, spec.smoke->body)}) +
            "\n";
  return text;
}

std::string StageText::find_ports(const std::vector<std::string>& ports) const {
  std::string text, from = "\"$first_port\"";
  for (const std::string& port : ports) {
    if (const auto number = plan::pinned_port(plan_, port)) {
      text += fmt::format("{}=$(this_port {})\n", port_variable(port), *number);
      continue;
    }
    text += fmt::format("{}=$(free_port {})\n", port_variable(port), from);
    from = fmt::format("$(({} + 1))", port_variable(port));
  }
  return text;
}

std::string StageText::left_out() {
  std::map<std::string, std::vector<std::string>> points;
  for (const plan::PlannedPoint& point : plan_.points)
    if (is_left_out(point.status))
      points[fmt::format("{}: {}", to_string(point.status), point.why)].push_back(point.point.name);
  if (points.empty()) return "";
  std::string text = "\n" + rule() + shell_comment("Points that do not run");
  for (const auto& [why, names] : points)
    text += shell_comment(fmt::format("\n{}\n  {}", why, join(names, "\n  ")));
  for (const Stage& stage : plan_.stages)
    if (is_left_out(stage.status) && !stage.after_until && !stage.spec.argv.empty()) {
      const std::string line = command(stage, {stage.id});
      text += shell_comment("\n" + line.substr(0, line.size() - 1));
    }
  return text;
}

}  // namespace orch::script
