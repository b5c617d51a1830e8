#include "crash/world.hpp"

#include "crash/project.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace orch::crash {

namespace fs = std::filesystem;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

bool full() {
  const char* setting = std::getenv("ORCH_CRASH");
  return setting && std::strcmp(setting, "full") == 0;
}

int count_of(int sample, int all) { return full() ? all : sample; }

std::string base_folder() {
  const char* setting = std::getenv("ORCH_CRASH_FOLDER");
  return setting && *setting ? setting : "/tmp";
}

void short_pause() { ::poll(nullptr, 0, 2); }

namespace {

// The words of ORCH_CRASH_UNDER, a program that runs another one with fewer rights.
std::vector<std::string> words_under() {
  const char* setting = std::getenv("ORCH_CRASH_UNDER");
  std::istringstream text(setting ? setting : "");
  return {std::istream_iterator<std::string>(text), {}};
}

std::string replaced(std::string text, const std::string& pattern, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(pattern, at)) != std::string::npos; at += with.size())
    text.replace(at, pattern.size(), with);
  return text;
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

World::World(const Options& options) : options_(options), first_port_(21000 + options.lane * 50) {
  std::string name = base_folder() + "/orchestrate-crash-XXXXXX";
  if (!::mkdtemp(name.data()))
    throw std::runtime_error("cannot make a folder under " + base_folder());
  folder_ = name;
  for (const char* sub : {"runners/crash", "templates/crash", "diary/life", "diary/stage"})
    fs::create_directories(folder_ + "/" + sub);
  std::string runner = replaced(k_runner, "@bench@", replaced(k_fake_bench, "@actor@", ORCH_ACTOR));
  if (!options.image.empty())
    runner = replaced(
        replaced(runner, "    argv: [\"@actor@\"", "    container: true\n    argv: [ \"@actor@\""),
        "\nstages:\n",
        fmt::format("\ncontainer: {{image: '{}', folders: ['{}']}}\nstages:\n", options.image,
                    diary()));
  write("runners/crash/runner.yaml",
        replaced(runner, "@actor@", options.image.empty() ? ORCH_ACTOR : "/bin/actor"));
  write("templates/crash/config.txt", k_template);
  write("site.yaml", fmt::format("ports: {{first: {}, last: {}}}\ngrace_s: {}\n{}", first_port_,
                                 first_port_ + 49, options.grace_s, options.extra_site));
  write_matrix(k_fixed_axes);
}

World::~World() {
  for (const int guardian : guardians_of(*this, 0)) ::kill(guardian, SIGTERM);
  std::error_code ignored;
  if (std::getenv("ORCH_KEEP")) fmt::print(stderr, "kept: {}\n", folder_);
  else fs::remove_all(folder_, ignored);
}

void World::write_matrix(const std::string& axes) {
  write("crash.yaml", "name: crash\nrunner: crash\n" + axes);
}
void World::write(const std::string& name, const std::string& text) {
  std::ofstream(folder_ + "/" + name) << text;
}
std::string World::read(const std::string& name) const { return slurp(folder_ + "/" + name); }

World::Run World::spawn(const std::vector<std::string>& argv, const Variables& variables) {
  Run run;
  run.out = fmt::format(".stdout{}", ++programs_);
  run.err = fmt::format(".stderr{}", programs_);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string inherited = *entry;
    if (!inherited.starts_with("ORCH") && !inherited.starts_with("XDG_CACHE_HOME=") &&
        !variables.contains(inherited.substr(0, inherited.find('='))))
      environment.push_back(inherited);
  }
  environment.push_back("ORCH_CRASH_DIARY=" + diary());
  environment.push_back("XDG_CACHE_HOME=" + folder() + "/cache");
  for (const auto& [name, value] : options_.variables) environment.push_back(name + "=" + value);
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  std::vector<char*> words, entries;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : environment) entries.push_back(const_cast<char*>(entry.c_str()));
  words.push_back(nullptr);
  entries.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, (folder_ + "/" + run.out).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addopen(&actions, 2, (folder_ + "/" + run.err).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
  run.started = Clock::now();
  const int failed =
      ::posix_spawnp(&run.pid, words[0], &actions, nullptr, words.data(), entries.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed)
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", argv.front(), std::strerror(failed)));
  run.pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, run.pid, 0));
  return run;
}

World::Run World::start(const Variables& variables, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = words_under();
  for (const char* word : {ORCH_BINARY, "run", "crash.yaml", "--site", "site.yaml"})
    argv.push_back(word);
  argv.insert(argv.end(), options_.arguments.begin(), options_.arguments.end());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return spawn(argv, variables);
}

std::optional<Ended> World::Run::wait(double for_s) {
  if (ended_) return ended_;
  pollfd waits{pidfd_, POLLIN, 0};
  timespec time{static_cast<time_t>(for_s),
                static_cast<long>((for_s - static_cast<double>(static_cast<time_t>(for_s))) * 1e9)};
  if (::ppoll(&waits, 1, &time, nullptr) <= 0) return std::nullopt;
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(pidfd_);
  ended_ = Ended{.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                 .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                 .late = false,
                 .wall_s = seconds_since(started)};
  return ended_;
}

void World::Run::kill(int signal) const {
  if (!ended_) ::syscall(SYS_pidfd_send_signal, pidfd_, signal, nullptr, 0);
}

Ended World::finish(Run& run) {
  auto ended = run.wait(options_.patience_s);
  std::string around;
  if (!ended) {
    if (options_.surroundings) around = options_.surroundings();
    run.kill();
    ended = run.wait(k_patience_s);
    ended->late = true;
  }
  last_err_ = read(run.err) + around;
  return *ended;
}

Ended World::run(const Variables& variables, const std::vector<std::string>& arguments) {
  Run run = start(variables, arguments);
  return finish(run);
}

Ended World::orchestrate(const std::vector<std::string>& arguments, std::string* out,
                         const Variables& variables) {
  std::vector<std::string> argv = {ORCH_BINARY};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Run run = spawn(argv, variables);
  const Ended ended = finish(run);
  if (out) *out = read(run.out);
  return ended;
}

namespace {

struct Process {
  int pid = 0, parent = 0;
  std::string command;  // its words end with NUL
  std::string environment;
};

std::vector<int> processes(const std::function<bool(const Process&)>& is_wanted) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    Process process{.pid = std::atoi(entry.path().filename().c_str()),
                    .parent = 0,
                    .command = slurp(entry.path() / "cmdline"),
                    .environment = slurp(entry.path() / "environ")};
    if (process.pid <= 0 || process.command.empty()) continue;
    const std::string stat = slurp(entry.path() / "stat");
    if (const std::size_t close = stat.rfind(')'); close != std::string::npos)
      process.parent = std::atoi(stat.c_str() + close + 4);
    if (is_wanted(process)) found.push_back(process.pid);
  }
  return found;
}

// Whether WORDS come right after the name of the program.
bool begins_with(const Process& process, const std::string& words) {
  const std::size_t second = process.command.find('\0');
  return second != std::string::npos &&
         process.command.compare(second + 1, words.size(), words) == 0;
}

}  // namespace

std::vector<int> guardians_of(const World& world, int orchestrator) {
  return processes([&](const Process& process) {
    return begins_with(process, std::string("guardian\0", 9)) &&
           ((orchestrator > 0 && process.parent == orchestrator) ||
            process.environment.find(world.folder() + "/") != std::string::npos);
  });
}

std::vector<int> agents_of(const World& world) {
  return processes([&](const Process& process) {
    return begins_with(process, std::string("guardian\0--job\0", 15)) &&
           (process.command + process.environment).find(world.folder() + "/") != std::string::npos;
  });
}

std::vector<int> monitors_of(const World& world) {
  return processes([&](const Process& process) {
    if (process.command.find("conmon") == std::string::npos) return false;
    std::error_code ignored;
    for (const auto& attempt : fs::directory_iterator(world.store() + "/attempts", ignored))
      if (process.command.find(attempt.path().filename()) != std::string::npos) return true;
    return false;
  });
}

}  // namespace orch::crash
