// `orchestrate shell`: a shell in the environment, the container and a folder of a stage, with the
// stage's command ready to run. All files are in a separate folder below TMPDIR, which is removed
// after the shell; the store is only read.
#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/keep/recorded_plan.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/host/host_inventory.hpp"
#include "core/base/text.hpp"
#include "results/tables/statements.hpp"
#include "run/attempt/workspace.hpp"

#include <csignal>

#include <CLI/CLI.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* k_command_variable = "ORCH_COMMAND";

struct ShellOptions {
  std::string name;
  std::string store = "results";
  std::vector<std::string> ports;  // "http=8000"
  RunnerPlaces places;
};

// A folder below ABOVE, removed by the destructor.
class Folder {
 public:
  explicit Folder(const std::string& above) {
    std::string name = above + "/orchestrate-shell-XXXXXX";
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~Folder() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs a process in the foreground of this terminal until its end. Returns its exit status by a
// shell's rules.
int run_in_front(const std::vector<std::string>& argv,
                 const std::map<std::string, std::string>& environment, const std::string& folder) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> words, env;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& variable : variables) env.push_back(const_cast<char*>(variable.c_str()));
  words.push_back(nullptr);
  env.push_back(nullptr);
  // Ignores these signals, which are for the shell, so that its files are removed however it ends.
  constexpr int k_of_shell[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
  std::map<int, void (*)(int)> before;
  for (const int one : k_of_shell) before[one] = std::signal(one, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int one : k_of_shell) std::signal(one, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    if (::chdir(folder.c_str()) == 0) ::execvpe(words[0], words.data(), env.data());
    ::_exit(status_of(Exit::not_started));
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  for (const auto& [one, handler] : before) std::signal(one, handler);
  if (child < 0) return status_of(Exit::not_started);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<std::string> first_point_of(store::Store& store, const std::string& stage) {
  tables::Statements statements(store.database());
  ORCH_ASSIGN(
      const auto point,
      statements.text(
          "SELECT p.name FROM run_stage rs JOIN point_stage ps ON ps.stage_id = rs.stage_id JOIN "
          "point p ON p.id = ps.point_id WHERE rs.plan_id = ? ORDER BY p.id DESC LIMIT 1",
          stage));
  return point.value_or("");
}

// The stage ID of PLAN or, if its digest has changed, the last stage of the same name; null if
// there is neither.
const plan::Stage* find_stage(const plan::Plan& plan, const std::string& id) {
  const std::string name = id.substr(0, id.rfind('-'));
  const plan::Stage* same_name = nullptr;
  for (const plan::Stage& stage : plan.stages) {
    if (stage.id == id) return &stage;
    if (stage.spec.name == name) same_name = &stage;
  }
  return same_name;
}

class StageShell {
 public:
  StageShell(session::World& world, session::Planning& planning, const ShellOptions& options,
             std::string folder)
      : world_(world),
        planning_(planning),
        options_(options),
        plan_(planning.current()),
        folder_(std::move(folder)) {}

  // Runs the shell of the stage ID; returns the shell's exit status.
  Result<int> run(const std::string& id) {
    const plan::Stage* stage = find_stage(plan_, id);
    if (!stage)
      return invalid(
          fmt::format("{} is no longer in the plan of its point: its runner has changed", id));
    if (stage->id != id)
      say(stderr, "note: {} is now {}: its runner, its files or the machine have changed since\n",
          id, stage->id);
    ORCH_TRY(check(*stage));
    ORCH_ASSIGN(const attempt::Ports ports, ports_of(*stage));
    attempt::Workspace workspace = workspace_for(*stage);
    attempt::Attempt attempt{.stage = nullptr,
                             .number = 1,
                             .token = system::new_token(),
                             .ports = ports,
                             .gpus = gpus_of(*stage)};
    // The stage as seen from inside its container: without the command that starts the container.
    plan::Stage inside = *stage;
    inside.spec.shared = false;
    inside.spec.container = nullptr;
    attempt.stage = &inside;
    const attempt::Prepared command = workspace.describe(std::vector{attempt}).front();
    plan::Stage shell = *stage;
    shell.spec.shared = false;
    shell.spec.argv = {"/bin/sh", "{work}/enter.sh"};
    shell.spec.launcher = 0;
    shell.spec.env[k_command_variable] = "{work}/command.sh";
    shell.spec.container = interactive(stage->spec.container);
    attempt.stage = &shell;
    attempt::Prepared prepared = workspace.describe(std::vector{attempt}).front();
    system::LongWork work;
    ORCH_TRY(workspace.lay_out({&prepared}, work));
    ORCH_TRY(write_scripts(prepared.launch, command.launch.argv, *stage));
    say(stderr,
        "{} of {}: `sh ${}` runs its command, which is in that file\n"
        "Its outputs go to {}; this folder is removed when the shell ends, and nothing is "
        "recorded\n",
        stage->id, plan_.matrix_name, k_command_variable, prepared.out);
    const int status =
        run_in_front(prepared.launch.argv, prepared.launch.env, prepared.launch.work);
    for (const auto& words : prepared.launch.after)
      run_in_front(words, prepared.launch.env, prepared.launch.work);
    std::error_code code;
    for (const std::string& path : {prepared.launch.tmp, prepared.launch.shm_folder})
      fs::remove_all(path, code);
    return status;
  }

 private:
  Status check(const plan::Stage& stage) const {
    if (stage.spec.server)
      return invalid(fmt::format("{} is an already running server at {}: it has no command",
                                 stage.id, stage.spec.server->server.url.text()));
    if (stage.spec.argv.empty())
      return invalid(fmt::format("{} has no command: its files are rendered or copied", stage.id));
    if (stage.spec.container && stage.spec.container->engine == container::Engine::cluster)
      return invalid(fmt::format(
          "{} runs in a container that the cluster starts; open a shell in it there: srun --pty "
          "--container-image ...",
          stage.id));
    for (const auto& [name, need] : stage.needs) {
      const auto found = std::ranges::find(plan_.stages, need, &plan::Stage::id);
      const bool makes_files =
          found != plan_.stages.end() && found->spec.kind == runner::Kind::task;
      if (makes_files && !world_.files.exists(output_of(*found)))
        return invalid(
            fmt::format("{} needs the output of {}, which is not in the store; make it "
                        "with orchestrate run MATRIX --until {}",
                        stage.id, need, name));
    }
    return {};
  }

  std::string output_of(const plan::Stage& stage) const {
    return stage.provided.empty() ? planning_.layout().artifact_out(stage.id) : stage.provided;
  }

  // A workspace with a separate folder for STAGE; the outputs of other stages are used where they
  // are.
  attempt::Workspace workspace_for(const plan::Stage& stage) const {
    attempt::Provided provided;
    for (const plan::Stage& other : plan_.stages)
      if (other.id != stage.id) provided[other.id] = output_of(other);
    attempt::Layout layout = planning_.layout();
    layout.store = folder_;
    return {world_.files,
            {.layout = std::move(layout),
             .inherited = world_.environment,
             .provided = std::move(provided),
             .plan = &plan_,
             .containers = session::containers_here(planning_.experiment(), world_.environment)}};
  }

  std::vector<int> gpus_of(const plan::Stage& stage) const {
    std::vector<int> gpus;
    for (const int gpu : planning_.experiment().gpus.indices())
      if (static_cast<int>(gpus.size()) < stage.gpus) gpus.push_back(gpu);
    for (int gpu = 0;
         static_cast<int>(gpus.size()) < stage.gpus && !planning_.experiment().gpus.is_made();
         ++gpu)
      gpus.push_back(gpu);
    return gpus;
  }

  // The ports of STAGE and of the servers that it needs: numbers given by --port, otherwise
  // consecutive numbers from the site's first port.
  Result<attempt::Ports> ports_of(const plan::Stage& stage) const {
    attempt::Ports ports;
    std::set<std::string> names(stage.spec.ports.begin(), stage.spec.ports.end());
    for (const auto& [name, need] : stage.needs)
      for (const plan::Stage& other : plan_.stages)
        if (other.id == need && other.spec.kind == runner::Kind::service)
          for (const std::string& port : other.spec.ports) names.insert(name + "." + port);
    int next = planning_.experiment().site.ports.first;
    for (const std::string& name : names) ports[name] = next++;
    for (const std::string& given : options_.ports) {
      const std::size_t equals = given.find('=');
      const auto number = to_integer(given.substr(equals + 1));
      const std::string name = given.substr(0, equals);
      if (!ports.contains(name))
        return invalid(fmt::format(
            "--port {}: {} has no port {}; it has {}", given, stage.id, quoted(name),
            names.empty() ? std::string("none")
                          : one_of(std::vector<std::string>(names.begin(), names.end()))));
      ports[name] = static_cast<int>(*number);
    }
    return ports;
  }

  static std::shared_ptr<const container::Settings> interactive(
      const std::shared_ptr<const container::Settings>& settings) {
    using container::Engine;
    if (!settings || settings->engine == Engine::apptainer) return settings;
    container::Settings made = *settings;
    made.options.emplace_back("--interactive");
    if (::isatty(STDIN_FILENO) == 1) made.options.emplace_back("--tty");
    return std::make_shared<const container::Settings>(std::move(made));
  }

  // Writes command.sh, which is the command, and enter.sh, which becomes the shell: bash if there
  // is one.
  Status write_scripts(execute::Launch& launch, const std::vector<std::string>& command,
                       const plan::Stage& stage) const {
    std::error_code code;
    for (const std::string& path : {launch.tmp, launch.shm_folder}) {
      ORCH_TRY(world_.files.make_folder(path));
      fs::permissions(path, fs::perms::owner_all, code);  // before the folder contains a secret
      if (code) return io_error("change the permissions of", path, code.value());
    }
    launch.env["TMPDIR"] = launch.tmp;
    if (const auto term = world_.environment.find("TERM"); term != world_.environment.end())
      launch.env.emplace(*term);
    ORCH_TRY(world_.files.put(launch.work + "/command.sh", "exec " + shell_quote(command) + "\n"));
    ORCH_TRY(world_.files.put(
        launch.work + "/rc",
        fmt::format("if [ -r ~/.bashrc ]; then . ~/.bashrc; fi\nPS1='({}) \\w\\$ '\n"
                    "history -s 'sh \"${}\"'\n",
                    stage.id, k_command_variable)));
    ORCH_TRY(world_.files.put(
        launch.work + "/enter.sh",
        fmt::format("if ! [ -t 0 ]; then exec /bin/sh; fi\n"
                    "if command -v bash >/dev/null; then exec bash --rcfile {0}/rc -i; fi\n"
                    "exec /bin/sh -i\n",
                    shell_quote(launch.work))));
    if (launch.hidden_file.empty()) return {};
    std::string secrets;
    for (const std::string& name : launch.hidden) {
      const auto value = launch.env.find(name);
      if (value == launch.env.end()) continue;
      secrets += name + "=" + shell_quote(value->second) + "\n";
      launch.env.erase(value);
    }
    ORCH_TRY(world_.files.put(launch.hidden_file, secrets));
    fs::permissions(launch.hidden_file, fs::perms::owner_read, code);
    return {};
  }

  session::World& world_;
  session::Planning& planning_;
  const ShellOptions& options_;
  const plan::Plan& plan_;
  const std::string folder_;
};

Exit shell(const ShellOptions& options) {
  int status = 0;
  const Exit read = read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
    if (named.kind != report::Named::Kind::stage)
      return invalid(
          fmt::format("{} is a point; name one of its stages, which `orchestrate show {}` lists",
                      named.name, named.name));
    ORCH_ASSIGN(const std::string point, first_point_of(store, named.name));
    ORCH_ASSIGN(const keep::RecordedPoint recorded, keep::recorded_point(store.database(), point));
    ORCH_ASSIGN(const std::string above, system::temporary_folder());
    const Folder folder(above);
    if (folder.path().empty()) return io_error("make a folder in", above, errno);
    const Errors errors = plan_recorded(
        {.store = store, .recorded = recorded, .places = options.places, .folder = folder.path()},
        [&](session::World& world, session::Planning& planning) -> Status {
          ORCH_ASSIGN(status, StageShell(world, planning, options, folder.path()).run(named.name));
          return {};
        });
    if (errors.empty()) return {};
    print_errors(Errors(errors.begin(), errors.end() - 1));
    return errors.back();
  });
  return read != Exit::done ? read : Exit{status};
}

}  // namespace

void add_shell(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("shell",
                                         "Open a shell in the environment, the container and a "
                                         "folder of a stage, with its command ready to run; "
                                         "nothing is recorded");
  auto options = std::make_shared<ShellOptions>();
  command->add_option("STAGE", options->name, "A stage: its name or a unique prefix")->required();
  command
      ->add_option("--port", options->ports,
                   "A port of the stage, or of the server that it measures: http=8000, "
                   "serve.http=8000 (default: ports of the site file, from the first)")
      ->type_name("NAME=PORT")
      ->allow_extra_args(false)
      ->check([](const std::string& text) -> std::string {
        const auto number = to_integer(text.substr(std::min(text.find('=') + 1, text.size())));
        if (text.find('=') != std::string::npos && number && *number > 0 && *number < 65536)
          return "";
        return fmt::format("{} is not NAME=PORT, such as http=8000", quoted(text));
      });
  add_runner_places(*command, options->places);
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(shell(*options)); });
}

}  // namespace orch::cli
