#include "script/script.hpp"

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "execute/executor.hpp"
#include "matrix/source.hpp"
#include "script/port_names.hpp"
#include "script/script_container.hpp"
#include "script/script_functions.hpp"
#include "script/shell_text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace orch::script {

namespace {

using plan::Stage;
using runner::Kind;
using Json = nlohmann::ordered_json;

bool is_left_out(plan::Status status) {
  return status == plan::Status::reject || status == plan::Status::undecided ||
         status == plan::Status::failed;
}

// SECONDS rounded up, for bash's integer arithmetic.
std::string whole(double seconds) { return fmt::format("{:.0f}", std::ceil(seconds)); }

std::string literal(std::string text) { return shell_word({{"", std::move(text)}}); }

// Whether the process of STAGE is given SYMBOL (with braces) in an argument, variable or text.
bool mentions(const Stage& stage, std::string_view symbol) {
  const auto has = [&](std::string_view text) {
    return text.find(symbol) != std::string_view::npos;
  };
  return std::any_of(stage.spec.argv.begin(), stage.spec.argv.end(), has) ||
         has(stage.spec.shm_prefix) || (stage.spec.smoke && has(stage.spec.smoke->body)) ||
         std::any_of(stage.spec.env.begin(), stage.spec.env.end(),
                     [&](const auto& variable) { return has(variable.second); }) ||
         std::any_of(stage.spec.job.begin(), stage.spec.job.end(),
                     [&](const auto& field) { return has(field.second); });
}

class Script {
 public:
  Script(const plan::Plan& plan, const attempt::Layout& layout, const ScriptOptions& options)
      : plan_(plan), layout_(layout), options_(options) {
    for (const Stage& stage : plan_.stages) by_id_[stage.id] = &stage;
    name_variables();
    find_wanted();
  }

  std::string text() {
    header();
    for (const Stage& stage : plan_.stages)
      if (is_to_make(stage)) resolve(stage);
    for (const Stage& stage : plan_.stages)
      if (wanted_.contains(stage.id) && !stage.provided.empty()) provided(stage);
    for (const Stage& stage : plan_.stages)
      if (stage.spec.kind == Kind::task && is_to_make(stage)) tasks(stage);
    for (const Stage& stage : plan_.stages)
      if (stage.spec.kind == Kind::service && is_to_make(stage)) session(stage);
    line("\nsay \"done: $OUT/artifacts\"");
    left_out();
    return std::move(out_);
  }

 private:
  // --- selection of stages

  // "build_1a2b": with as few digits as make it unique.
  void name_variables() {
    for (std::size_t digits = 4; variables_.size() < plan_.stages.size(); ++digits) {
      std::map<std::string, std::vector<const Stage*>> same;
      for (const Stage& stage : plan_.stages)
        if (!variables_.contains(stage.id))
          same[fmt::format("{}_{}", stage.spec.name,
                           stage.id.substr(stage.spec.name.size() + 1, digits))]
              .push_back(&stage);
      for (const auto& [name, stages] : same)
        if (stages.size() == 1) variables_[stages.front()->id] = name;
    }
  }

  // Backwards from the final stages of the plan, or those of --until. A stage that only leads to a
  // provided output is not made.
  void find_wanted() {
    std::set<plan::StageId> needed;
    for (const Stage& stage : plan_.stages)
      for (const auto& [name, id] : stage.needs)
        if (may_be_final(stage)) needed.insert(id);
    for (const Stage& stage : plan_.stages)
      if (may_be_final(stage) && !needed.contains(stage.id)) wanted_.insert(stage.id);
    for (auto stage = plan_.stages.rbegin(); stage != plan_.stages.rend(); ++stage)
      if (is_to_make(*stage))
        for (const auto& [name, id] : stage->needs) wanted_.insert(id);
  }

  static bool may_be_final(const Stage& stage) {
    return !is_left_out(stage.status) && !stage.after_until;
  }

  bool is_to_make(const Stage& stage) const {
    return wanted_.contains(stage.id) && stage.provided.empty() && !made_.contains(stage.id);
  }

  // The name of its folders and log: a measurement has one per attempt; the script runs the first.
  static std::string folder(const Stage& stage) {
    return stage.spec.kind == Kind::measure ? stage.id + ".1" : stage.id;
  }

  // --- words and commands

  ShellPart runner_file(const std::string& runner, std::string_view file) const {
    if (attempt::Layout::is_common(file) && !layout_.folders_of(runner).common.empty())
      return {"", layout_.runner_file(file, runner)};
    return {runner_variable(runner), attempt::Layout::below_runner(file)};
  }

  // "RUNNER" has the folder of the default runner, RUNNER_2 and so on those of others.
  std::string runner_variable(const std::string& runner) const {
    const auto other = layout_.other_runners.find(runner);
    if (other == layout_.other_runners.end()) return "RUNNER";
    return fmt::format("RUNNER_{}", 2 + std::distance(layout_.other_runners.begin(), other));
  }

  std::optional<ShellPart> symbol(const Stage& stage, std::string_view name) const {
    if (name == "out") return ShellPart{variables_.at(stage.id), ""};
    if (name == "work") return ShellPart{"OUT", "/work/" + folder(stage)};
    if (name == "jobs") return ShellPart{"OUT", "/work/" + folder(stage) + "/jobs.json"};
    if (name == "tmp") return ShellPart{"tmp", ""};
    if (name == "token") return ShellPart{"token", ""};
    if (name == "block") return ShellPart{"", "0"};
    if (name == "user" || name == "image") return ShellPart{std::string(name), ""};
    if (name == "orchestrate") return ShellPart{"ORCHESTRATE", ""};
    if (auto address = layout_.address(name)) return ShellPart{"", *address};
    if (name.starts_with("file:")) return runner_file(stage.spec.runner, name.substr(5));
    if (name.starts_with("stage:")) {
      const auto variable = variables_.find(std::string(name.substr(6)));
      if (variable != variables_.end()) return ShellPart{variable->second, ""};
      return ShellPart{"OUT", "/artifacts/" + std::string(name.substr(6)) + "/out"};
    }
    if (name.starts_with("port:")) return ShellPart{port_variable(port_name(name.substr(5))), ""};
    return revision(stage, name);
  }

  // The variable with the resolved revision that SYMBOL stands for.
  std::optional<ShellPart> revision(const Stage& stage, std::string_view symbol) const {
    const auto written = stage.unresolved.find(std::string(symbol));
    if (written == stage.unresolved.end()) return std::nullopt;
    const auto variable = revisions_.find(name_of(written->second));
    if (variable == revisions_.end()) return std::nullopt;
    return ShellPart{variable->second, ""};
  }

  // "hf:OWNER/NAME@main"
  static std::string name_of(const plan::Unresolved& written) {
    return matrix::mutable_revision(written.source, written.revision);
  }

  ShellText filled(const Stage& stage, std::string_view text) const {
    return shell_text(text, [&](std::string_view name) { return symbol(stage, name); });
  }
  std::string word(const Stage& stage, std::string_view text) const {
    return shell_word(filled(stage, text));
  }
  std::string below(const Stage& stage, const std::string& path) const {
    return shell_word({{variables_.at(stage.id), "/" + path}});
  }
  std::string output(const Stage& stage) const {
    return shell_word({{variables_.at(stage.id), ""}});
  }

  // The line: HEAD NAME=VALUE... -- COMMAND OF THE STAGE
  std::string command(const Stage& stage, std::vector<std::string> head) const {
    for (const auto& [name, value] : stage.spec.env)
      head.push_back(word(stage, name + "=" + value));
    const std::vector<std::string> gpus = gpus_of(stage);
    if (!gpus.empty()) {
      head.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
      head.push_back(literal("CUDA_VISIBLE_DEVICES=" + join(gpus, ",")));
    }
    std::vector<std::string> names = stage.spec.inherit;
    names.insert(names.end(), stage.spec.secrets.begin(), stage.spec.secrets.end());
    std::vector<std::string> words;
    for (const std::string& one : contained_argv(plan_, stage, layout_, gpus))
      words.push_back(word(stage, one));
    return command(names, std::move(head), words);
  }

  // Those that STAGE may use, where the user has chosen some: as many as it needs.
  std::vector<std::string> gpus_of(const Stage& stage) const {
    std::vector<std::string> gpus = options_.gpus;
    const auto needed = static_cast<std::size_t>(stage.gpus);
    if (needed > 0 && needed < gpus.size()) gpus.resize(needed);
    return gpus;
  }

  static std::string command(const std::vector<std::string>& inherited,
                             std::vector<std::string> head, const std::vector<std::string>& words) {
    head.emplace_back("--");
    const std::string inherit =
        inherited.empty() ? "" : fmt::format("inherit={} ", literal(join(inherited, " ")));
    return inherit + shell_command(head) + std::string(k_next_line) + shell_command(words);
  }

  // --- blocks of the script

  void line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }

  void header() {
    const std::string& matrix_file = options_.matrix_file;
    const auto left_out = static_cast<std::size_t>(
        std::count_if(plan_.points.begin(), plan_.points.end(),
                      [](const auto& point) { return is_left_out(point.status); }));
    line("#!/usr/bin/env bash");
    out_ += shell_comment(
        fmt::format("{}: {} of {} points{}, on the runner{} {}", plan_.matrix_name,
                    plan_.points.size() - left_out, plan_.points.size(),
                    matrix_file.empty() ? "" : " of " + matrix_file,
                    plan_.runners.size() > 1 ? "s" : "", join(plan_.runners, " and ")));
    out_ += fmt::format(fmt::runtime(k_script_usage), shell_quote(options_.file));
    line(fmt::format("OUT=${{OUT:-by-hand}}\nrunner_here={}\norchestrate_here={}",
                     literal(layout_.runner), literal(layout_.orchestrate)));
    for (const auto& [name, folders] : layout_.other_runners)
      line(fmt::format("{0}=${{{0}:-{1}}}", runner_variable(name), literal(folders.runner)));
    line("RUNNER=${RUNNER:-$runner_here}\nORCHESTRATE=${ORCHESTRATE:-$orchestrate_here}");
    line(fmt::format("least_port={} last_port={} address={}", options_.ports.first,
                     options_.ports.last, *layout_.address("connect")));
    out_ += k_script_functions;
    line("[[ -d $RUNNER ]] || fail \"the runner's folder $RUNNER is not here: set RUNNER to it\"");
    for (const auto& [name, folders] : layout_.other_runners)
      line(check_of_other_runner(runner_variable(name), name));
    line(
        "[[ -x $ORCHESTRATE ]] || fail \"the program $ORCHESTRATE is not here: set ORCHESTRATE to "
        "it\"");
    line("own=(TMPDIR=\"$tmp\"");
    for (const char* variable : execute::k_shm_variables)
      line(fmt::format("  {}=\"$shm\"", variable));
    line(")");
    provided_paths();
  }

  // For place(): published texts name provided stages like all others.
  void provided_paths() {
    std::string words;
    for (const Stage& stage : plan_.stages)
      if (!stage.provided.empty())
        words += fmt::format("  -e {}\n", literal(fmt::format("s|\\{{stage:{}\\}}|{}|g", stage.id,
                                                              sed_text(stage.provided))));
    if (!words.empty()) line(fmt::format("\nelsewhere=(\n{})", words));
  }

  // Asks the runner's resolver for the mutable revisions of STAGE, as `run` does.
  void resolve(const Stage& stage) {
    for (const auto& [symbol, written] : stage.unresolved) {
      const std::string name = name_of(written);
      const auto resolver = std::find_if(
          options_.resolvers.begin(), options_.resolvers.end(), [&](const ScriptResolver& one) {
            return written.source.starts_with(one.command.scheme + ":");
          });
      if (revisions_.contains(name) || resolver == options_.resolvers.end()) continue;
      const std::size_t number = revisions_.size() + 1;
      std::vector<std::string> words;
      for (const std::string& one : resolver->command.argv)
        words.push_back(shell_word(shell_text(one, [&](std::string_view part) {
          return symbol_of_resolver(*resolver, written, part);
        })));
      out_ += "\n" + shell_comment("the commit of " + name);
      line(command(
          resolver->command.inherit,
          {"resolve", fmt::format("resolve-{}", number), whole(resolver->command.timeout_s)},
          words));
      line(fmt::format("revision{}=$resolved", number));
      revisions_[name] = fmt::format("revision{}", number);
    }
  }

  std::optional<ShellPart> symbol_of_resolver(const ScriptResolver& resolver,
                                              const plan::Unresolved& written,
                                              std::string_view name) const {
    if (name == "model.source") return ShellPart{"", written.source};
    if (name == "model.revision")
      return ShellPart{"", name_of(written).substr(written.source.size() + 1)};
    if (name.starts_with("file:")) return runner_file(resolver.runner, name.substr(5));
    return std::nullopt;
  }

  void provided(const Stage& stage) {
    out_ += "\n" + shell_comment(stage.id + " is provided");
    line(fmt::format("{}={}", variables_.at(stage.id), literal(stage.provided)));
  }

  void title(const Stage& stage, const std::string& before = "\n") {
    std::vector<std::string> words;
    for (const auto& [name, value] : stage.parameters) words.push_back(name + "=" + value.text);
    std::string text = stage.id;
    if (stage.spec.kind == Kind::measure)
      text += " of " + plan_.points[stage.points.front()].point.name;
    else if (!words.empty()) text += ": " + join(words, ", ");
    out_ += before + shell_comment(text);
    if (stage.spec.container && !stage.spec.container->built.empty())
      line(fmt::format("image=$(image_of {})", word(stage, stage.spec.container->built)));
    if (stage.spec.version && !stage.spec.version->answer.empty())
      out_ += shell_comment("planned with " + stage.spec.version->answer);
    if (stage.spec.kind != Kind::service)
      line(fmt::format("{}=$OUT/artifacts/{}/out", variables_.at(stage.id), folder(stage)));
    else if (mentions(stage, "{out}") || !stage.rendered.empty() || !stage.spec.copy.empty())
      line(fmt::format("{0}=$OUT/work/{1}/out\nmkdir -p {2}", variables_.at(stage.id),
                       folder(stage), output(stage)));
  }

  // A task, together with the tasks that share its process in a batch.
  void tasks(const Stage& first) {
    std::vector<const Stage*> together = {&first};
    if (first.spec.batch)
      for (const Stage& stage : plan_.stages)
        if (&stage != &first && is_to_make(stage) && stage.spec.name == first.spec.name &&
            stage.spec.runner == first.spec.runner && stage.spec.argv == first.spec.argv &&
            is_ready(stage))
          together.push_back(&stage);
    for (const Stage* stage : together) {
      title(*stage);
      files(*stage);
      made_.insert(stage->id);
    }
    if (together.size() > 1) line("");
    if (first.spec.batch) jobs(together);
    if (!first.spec.argv.empty())
      process(first, "task", first.spec.timeout_s * static_cast<double>(together.size()));
    for (const Stage* stage : together) check(*stage);
  }

  bool is_ready(const Stage& stage) const {
    return std::all_of(stage.needs.begin(), stage.needs.end(), [&](const auto& need) {
      return made_.contains(need.second) || !by_id_.at(need.second)->provided.empty();
    });
  }

  void files(const Stage& stage) {
    for (const auto& [to, text] : stage.rendered) {
      const std::string_view unended = text.empty() || text.ends_with('\n') ? "" : "-n ";
      const ShellText whole =
          shell_text(unended.empty() ? text : text + "\n",
                     [&](std::string_view name) { return revision(stage, name); });
      out_ += fmt::format("write {}{} {}", unended, below(stage, to), here_document(whole));
    }
    for (const runner::Copy& copy : stage.spec.copy)
      line(fmt::format("copy {} {}", shell_word({runner_file(stage.spec.runner, copy.from)}),
                       below(stage, copy.to)));
    for (const runner::Place& place : stage.spec.place) {
      std::string named;
      for (const std::string& name : place.stages)
        if (const auto need = stage.needs.find(name); need != stage.needs.end())
          named += fmt::format(" {} {}", name, word(stage, "{stage:" + need->second + "}"));
      line(fmt::format("place {} {}{}", word(stage, place.from),
                       shell_word({{"OUT", "/work/" + folder(stage) + "/" + place.to}}), named));
    }
  }

  void jobs(const std::vector<const Stage*>& together) {
    std::string list;
    std::vector<std::string> folders = {"mkdir", "-p"};
    for (const Stage* stage : together) {
      folders.insert(folders.end(), {output(*stage), word(*stage, "{work}")});
      Json job = {{"id", stage->id}};
      for (const auto& [name, value] : stage->spec.job) job[name] = value;
      list += (list.empty() ? "[" : ",\n ") + shell_lines(filled(*stage, dump(job)));
    }
    line(shell_command(folders));
    line(fmt::format("write {} <<END\n{}]\nEND", word(*together.front(), "{jobs}"), list));
  }

  void process(const Stage& stage, const std::string& function, double limit_s) {
    token(stage);
    line(command(stage, {function, folder(stage), fmt::format("{}", limit_s)}));
  }

  // Sets the variables that only the words of STAGE use.
  void token(const Stage& stage) {
    if (mentions(stage, "{token}")) line("token=$(new_token)");
    if (!stage.spec.shm_prefix.empty()) line("shm_prefix=" + word(stage, stage.spec.shm_prefix));
  }

  void check(const Stage& stage) {
    std::vector<std::string> words = {"made", output(stage)};
    for (const std::string& one : stage.spec.outputs) words.push_back(literal(one));
    line(shell_command(words));
  }

  // A server from start to stop, with every measurement that needs it.
  void session(const Stage& service) {
    std::vector<const Stage*> measurements;
    for (const Stage& stage : plan_.stages)
      if (stage.spec.kind == Kind::measure && is_to_make(stage) &&
          std::any_of(stage.needs.begin(), stage.needs.end(),
                      [&](const auto& need) { return need.second == service.id; }))
        measurements.push_back(&stage);
    if (measurements.empty()) return;
    std::stable_sort(measurements.begin(), measurements.end(),
                     [](const Stage* a, const Stage* b) { return a->repeat < b->repeat; });
    start(service);
    for (const Stage* stage : measurements) {
      title(*stage);
      files(*stage);
      process(*stage, "measure", stage->spec.timeout_s);
      check(*stage);
    }
    line("\nstop");
  }

  void start(const Stage& service) {
    const auto& spec = service.spec;
    title(service, "\n" + rule());
    files(service);
    find_ports(spec.ports);
    process(service, "serve", spec.stop_s);
    // curl would show a token to every user of this machine.
    if (spec.server && !spec.server->server.token_env.empty())
      return line("# It wants a token, and is first asked by the measurement.");
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
    line(shell_command(words));
    if (!spec.smoke) return;
    for (const std::string& port : plan::ports_called(spec, spec.smoke->port))
      line(shell_command({"smoke", words[1], url(port, spec.smoke->post),
                          literal(spec.smoke->answer.substr(spec.smoke->answer.rfind('.') + 1)),
                          word(service, spec.smoke->body)}));
  }

  void find_ports(const std::vector<std::string>& ports) {
    std::string from = "\"$first_port\"";
    for (const std::string& port : ports) {
      if (const auto number = plan::pinned_port(plan_, port)) {
        line(fmt::format("{}=$(this_port {})", port_variable(port), *number));
        continue;
      }
      line(fmt::format("{}=$(free_port {})", port_variable(port), from));
      from = fmt::format("$(({} + 1))", port_variable(port));
    }
  }

  // In comments: the points that do not run, and the commands that only they need.
  void left_out() {
    std::map<std::string, std::vector<std::string>> points;
    for (const plan::PlannedPoint& point : plan_.points)
      if (is_left_out(point.status))
        points[fmt::format("{}: {}", plan::to_string(point.status), point.why)].push_back(
            point.point.name);
    if (points.empty()) return;
    out_ += "\n" + rule() + shell_comment("Points that do not run");
    for (const auto& [why, names] : points)
      out_ += shell_comment(fmt::format("\n{}\n  {}", why, join(names, "\n  ")));
    for (const Stage& stage : plan_.stages)
      if (is_left_out(stage.status) && !stage.after_until && !stage.spec.argv.empty())
        out_ += shell_comment("\n" + command(stage, {stage.id}));
  }

  static std::string rule() { return shell_comment(std::string(118, '-')); }

  const plan::Plan& plan_;
  const attempt::Layout& layout_;
  const ScriptOptions& options_;
  std::map<plan::StageId, const Stage*> by_id_;
  std::map<plan::StageId, std::string> variables_;
  std::map<std::string, std::string> revisions_;  // "hf:OWNER/NAME@main" -> its variable
  std::set<plan::StageId> wanted_;
  std::set<plan::StageId> made_;
  std::string out_;
};

}  // namespace

std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options) {
  return Script(plan, layout, options).text();
}

}  // namespace orch::script
