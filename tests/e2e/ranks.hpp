// A sweep over real servers of several ranks under a real mpirun or srun, and its processes, shared
// memory and session folders on this machine. Finds and kills them; judges no result.
#pragma once

#include "e2e/sweep.hpp"

#include <csignal>
#include <functional>
#include <set>

namespace orch::e2e {

// The environment with a tritonserver, made once.
inline const std::string& environment() {
  static const std::string found = [] {
    Sweep anywhere;
    const Finished done = anywhere.run(
        {"/usr/bin/python3", std::string(ORCH_SOURCE_DIR) + "/tests/runners/triton_openvino/run.py",
         "--cache", ORCH_ENVIRONMENTS, "--environment"});
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out.substr(0, done.out.find('\n'));
  }();
  return found;
}

// A process that works in an attempt's folder: mpirun, the tritonserver of a rank, or the python
// process of its model.
struct Part {
  int pid = 0;
  std::string program;
  std::string rank;   // "" for mpirun
  std::string token;  // of its attempt
  std::string node;   // of Slurm
  bool is_client = false;
};

class Ranks {
 public:
  // ENVIRONMENT has a tritonserver. SITE: the text of the site file. AXES: of the matrix. SERVE:
  // more keys of the server's stage.
  Ranks(const std::string& environment, const std::string& site, const std::string& axes,
        const std::string& serve = "")
      : before_(names_in_shared_places(is_of_mpi)) {
    const std::string from = std::string(ORCH_SOURCE_DIR) + "/tests/e2e/data/ranks",
                      to = sweep_.folder() + "/runners/ranks";
    std::filesystem::create_directories(to);
    for (const char* name : {"config.pbtxt", "model.py", "make_prompts.py"})
      std::filesystem::copy_file(from + "/" + name, to + "/" + name);
    sweep_.write("runners/ranks/runner.yaml",
                 replaced(replaced(Sweep::read(from + "/runner.yaml"), "ENVIRONMENT", environment),
                          "GATEFILE", gate()));
    if (!serve.empty())
      sweep_.write("runners/ranks/runner.yaml",
                   replaced(Sweep::read(to + "/runner.yaml"), "    reads: [server, ranks]\n",
                            "    reads: [server, ranks]\n    " + serve + "\n"));
    sweep_.write("site.yaml", site);
    sweep_.write("ranks.yaml",
                 "name: ranks\nrunner: ranks\nmeasure: {limits: {wake_lag_ms: 1000, "
                 "client_cpu_share: 1000}}\naxes: " +
                     axes + "\n");
  }
  // PREPARE writes a matrix and a runner whose servers follow the conventions of data/ranks; RUN is
  // the command line that runs it.
  Ranks(const std::function<void(Sweep&)>& prepare,
        const std::function<std::vector<std::string>(const Sweep&)>& run)
      : before_(names_in_shared_places(is_of_mpi)) {
    prepare(sweep_);
    run_ = run(sweep_);
  }
  // Ends the processes of a failed test.
  ~Ranks() {
    for (const int guardian : guardians()) ::kill(guardian, SIGTERM);
  }

  Sweep& sweep() { return sweep_; }
  std::string store() const { return sweep_.store(); }
  Sweep::Started start() { return sweep_.start_program(run_); }
  Finished run() { return sweep_.run(run_); }

  // Prompts are not answered until the gate is opened.
  void close_gate() {
    std::filesystem::remove(gate() + ".reached");
    sweep_.write("gate", "");
  }
  void open_gate() { std::filesystem::remove(gate()); }
  // True: a server has a prompt. False: RUN ended first.
  bool wait_for_prompt(const Sweep::Started& run) {
    sweep_.wait_until(
        [&] { return std::filesystem::exists(gate() + ".reached") || has_ended(run); });
    return !has_ended(run);
  }

  std::vector<Part> parts() const {
    std::vector<Part> found;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
      const std::string folder = entry.path().string(),
                        work = std::filesystem::read_symlink(folder + "/cwd", code).string();
      const std::string attempts = sweep_.store() + "/attempts/";
      const auto at = work.find(attempts);  // in a mount namespace, a root may precede it
      if (at == std::string::npos) continue;
      const auto token = at + attempts.size();
      const std::string command = Sweep::read(folder + "/cmdline"),
                        program = command.substr(0, command.find('\0'));
      found.push_back({std::atoi(entry.path().filename().c_str()),
                       program.substr(program.rfind('/') + 1), rank_of(folder),
                       work.substr(token, work.find('/', token) - token),
                       variable_of(folder, "SLURMD_NODENAME"),
                       command.find(std::string("\0bench\0", 7)) != std::string::npos});
    }
    return found;
  }
  // The server process of RANK.
  Part server(const std::string& rank) const {
    for (const Part& part : parts())
      if (part.program == "tritonserver" && part.rank == rank) return part;
    ADD_FAILURE() << "there is no tritonserver of rank " << rank;
    return {};
  }
  // Ends the server of RANK with SIGNAL; returns when no process of its attempt is left. Its model
  // process ends a moment later.
  void kill_server_and_wait(const std::string& rank, int signal) {
    const Part part = server(rank);
    if (part.pid == 0) return;
    ::kill(part.pid, signal);
    wait_for_end_of(part.token);
  }
  // Until no process of the attempt TOKEN is left.
  void wait_for_end_of(const std::string& token) {
    sweep_.wait_until([&] {
      const auto all = parts();
      return std::none_of(all.begin(), all.end(),
                          [&](const Part& one) { return one.token == token; });
    });
  }
  // The client of the running measurement, if there is one.
  Part measurement() const {
    for (const Part& part : parts())
      if (part.is_client) return part;
    return {};
  }
  // True: a measurement of another attempt runs. False: RUN ended first.
  bool wait_for_another(const Part& measured, const Sweep::Started& run) {
    auto another = [&] {
      const std::string token = measurement().token;
      return !token.empty() && token != measured.token;
    };
    sweep_.wait_until([&] { return another() || has_ended(run); });
    return !has_ended(run);
  }
  // The live guardians, by their cards.
  std::vector<int> guardians() const {
    std::vector<int> pids;
    std::error_code code;
    for (const auto& card :
         std::filesystem::directory_iterator(sweep_.store() + "/guardians", code)) {
      const Json json = card.path().extension() == ".json"
                            ? Json::parse(Sweep::read(card.path()), nullptr, false)
                            : Json();
      if (json.is_object() &&
          Sweep::read(fmt::format("/proc/{}/cmdline", json["pid"].get<int>())).find("guardian") !=
              std::string::npos)
        pids.push_back(json["pid"]);
    }
    return pids;
  }

  // Runs on CLUSTER.
  void run_on(const std::map<std::string, std::string>& cluster) {
    run_.insert(run_.end(), {"--executor", "slurm"});
    for (const auto& [name, value] : cluster) run_.insert(run_.begin(), name + "=" + value);
    run_.insert(run_.begin(), "/usr/bin/env");
  }
  // The tokens of the launches that the ranks of the attempt TOKEN are on several nodes.
  std::set<std::string> launches_of(const std::string& token) const {
    std::set<std::string> names;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(
             sweep_.store() + "/attempts/" + token + "/ranks/attempts", code))
      names.insert(entry.path().filename());
    return names;
  }

  // The names of the files that the ranks of the attempt TOKEN share through Open MPI.
  static std::set<std::string> segments_of(const std::string& token) {
    std::set<std::string> names;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm/" + token, code))
      names.insert(entry.path().filename());
    return names;
  }

  // Everything that this sweep, or a launch of TOKENS, has left on this machine, one line each.
  std::vector<std::string> left(std::set<std::string> tokens = {}) {
    std::vector<std::string> found;
    for (const Part& part : parts())
      found.push_back(fmt::format("process {} ({})", part.pid, part.program));
    std::error_code code;
    for (const auto& file :
         std::filesystem::directory_iterator(sweep_.store() + "/guardians", code))
      found.push_back(file.path());
    for (const std::string& path : names_in_shared_places(is_of_mpi))
      if (!before_.contains(path)) found.push_back(path);
    system::RealProcesses processes;
    for (const Json& row : sweep_.query("select token from attempt")) tokens.insert(row["token"]);
    for (const std::string& token : tokens) {
      for (const std::string& path :
           names_in_shared_places([&](const std::string& name) { return name.starts_with(token); }))
        found.push_back(path);
      if (processes.alive({.token = token,
                           .leader = {},
                           .boot_id = system::boot_id(),
                           .containment = {},
                           .cgroup = {}}))
        found.push_back("a process of " + token);
    }
    return found;
  }

 private:
  std::string gate() const { return sweep_.folder() + "/gate"; }

  static bool has_ended(const Sweep::Started& run) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(run.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == run.pid;
  }
  static std::string replaced(std::string text, const std::string& pattern,
                              const std::string& value) {
    for (std::size_t at = 0; (at = text.find(pattern, at)) != std::string::npos; at += value.size())
      text.replace(at, pattern.size(), value);
    return text;
  }
  static std::string rank_of(const std::string& folder) {
    const std::string of_mpirun = variable_of(folder, "OMPI_COMM_WORLD_RANK");
    return of_mpirun.empty() ? variable_of(folder, "PMIX_RANK") : of_mpirun;
  }
  static std::string variable_of(const std::string& folder, const std::string& name) {
    const std::string all = '\0' + Sweep::read(folder + "/environ"), key = '\0' + name + "=";
    const std::size_t at = all.find(key);
    return at == std::string::npos ? "" : std::string(all.c_str() + at + key.size());
  }
  // The folders where Triton and Open MPI leave files, possibly also of other users.
  template <class IsMeant> static std::set<std::string> names_in_shared_places(IsMeant is_meant) {
    std::set<std::string> paths;
    for (const char* folder : {"/dev/shm", "/tmp"})
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (is_meant(entry.path().filename().string())) paths.insert(entry.path());
    return paths;
  }
  static bool is_of_mpi(const std::string& name) {
    return name.starts_with("vader_segment") || name.starts_with("ompi.");
  }

  std::set<std::string> before_;
  Sweep sweep_;
  std::vector<std::string> run_ = {ORCH_BINARY, "run", "ranks.yaml", "--site", "site.yaml"};
};

}  // namespace orch::e2e
