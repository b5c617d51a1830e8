#include "os/system/process.hpp"

#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/launch.hpp"
#include "os/system/tree_signal.hpp"

#include <csignal>
#include <random>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr int k_look_ms = 10;

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point from) {
  return std::chrono::duration<double>(SteadyClock::now() - from).count();
}

// TEXTS in the form required by exec.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of(const Spawn& spawn) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : spawn.env)
    if (name != k_token_variable) texts.push_back(name + "=" + value);
  if (!spawn.token.empty()) texts.push_back(std::string(k_token_variable) + "=" + spawn.token);
  return texts;
}

// One per process, because SIGCHLD goes to the process.
int g_child_events = -1;

void note_child(int) {
  const int before = errno;
  const std::uint64_t one = 1;
  if (::write(g_child_events, &one, sizeof one) < 0) {
  }  // the counter is full: the descriptor is readable anyway
  errno = before;
}

void listen_for_children() {
  if (g_child_events >= 0) return;
  g_child_events = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = note_child;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGCHLD, &action, nullptr);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void fill(Exit& exit, int status, const rusage& usage) {
  if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  exit.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  exit.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// TREE with its cgroup, if it has one and TREE is known only by its token.
Tree with_cgroup(Tree tree) {
  if (!tree.boot_id.empty() || !tree.cgroup.empty()) return tree;
  const std::string folder = cgroup_of(tree.token);
  if (folder.empty() || ::access(folder.c_str(), F_OK) != 0) return tree;
  tree.containment = Containment::cgroup;
  tree.cgroup = folder;
  return tree;
}

// Whether the containment itself shows a live process. False proves nothing.
bool containment_is_alive(const Tree& tree) {
  if (tree.containment == Containment::cgroup) return cgroup_populated(tree.cgroup);
  if (tree.boot_id.empty()) return false;
  return is_running(tree.leader);
}

// Two passes by all marks: a process that forks and exits may slip through one.
bool any_marked(const Tree& tree) {
  const TreeMark mark(tree);
  return signal_once(tree, mark, 0, Search::by_limit) != 0 ||
         signal_once(tree, mark, 0, Search::by_all_marks) != 0 ||
         signal_once(tree, mark, 0, Search::by_all_marks) != 0;
}

// cgroup.kill also reaches processes that are forking, but skips a process whose first thread has
// ended.
void kill_in_cgroup(const Tree& tree, const TreeMark& mark) {
  if (!kill_cgroup(tree.cgroup) || cgroup_populated(tree.cgroup))
    signal_once(tree, mark, SIGKILL, Search::by_all_marks);
}

// Kills the processes found by one pass and appends them to FOUND. False: the pass found none, and
// those found earlier have ended.
bool kill_once(const Tree& tree, const TreeMark& mark, std::vector<ProcessId>& found) {
  if (tree.containment != Containment::session && containment_is_alive(tree)) {
    if (tree.containment == Containment::pid_namespace) signal_process(tree.leader, SIGKILL);
    else kill_in_cgroup(tree, mark);
    return true;
  }
  return signal_once(tree, mark, SIGKILL, Search::by_limit, &found) != 0 ||
         signal_once(tree, mark, SIGKILL, Search::by_all_marks, &found) != 0 || any_alive(found);
}

// Raises the priority of this process, if allowed, so that it runs before the processes it kills.
class HighPriority {
 public:
  HighPriority() { ::setpriority(PRIO_PROCESS, 0, -20); }
  ~HighPriority() { ::setpriority(PRIO_PROCESS, 0, before_); }

 private:
  int before_ = ::getpriority(PRIO_PROCESS, 0);
};

}  // namespace

std::string new_token() {
  std::random_device random;
  return fmt::format("o{:07x}{:08x}", (random() >> 4) | (1U << 27),
                     random());  // with the highest bit set: see limit_mark()
}

bool is_token(std::string_view text) {
  return text.size() == 16 && text[0] == 'o' &&
         text.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

std::optional<ProcessId> identify(int pid) {
  const auto facts = process_facts(pid);
  return facts ? std::optional(facts->id) : std::nullopt;
}

bool is_running(const ProcessId& process) {
  const auto facts = process_facts(process.pid);
  return facts && !facts->ended && facts->id == process;
}

void wait_for_end(const ProcessId& process, double within_s) {
  const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  const auto from = SteadyClock::now();
  while (is_running(process)) {
    const double left_s = within_s - seconds_since(from);
    if (left_s <= 0) return;
    if (ended) {
      pollfd event{ended.get(), POLLIN, 0};
      ::poll(&event, 1, static_cast<int>(left_s * 1000) + 1);
    } else {
      ::poll(nullptr, 0, k_look_ms);  // before Linux 5.3
    }
  }
}

std::string boot_id() {
  static const std::string k_id(trim(read_proc("/proc/sys/kernel/random/boot_id")));
  return k_id;
}

struct RealProcesses::Impl {
  struct Leader {
    ProcessId id;
    Descriptor report = {};  // of the init of a PID namespace
  };
  std::vector<Leader> leaders;
  std::vector<Exit> exits;        // not yet returned by wait()
  std::set<std::string> spawned;  // tokens of the trees started by this object
  Descriptor null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  Descriptor null_log{::open("/dev/null", O_WRONLY | O_CLOEXEC)};

  Result<Leader> start_leader(Child& child, const Spawn& spawn);
  void drain();
  void reap();
  bool has_no_children(const Tree& tree);
  const Leader* hidden_leader(const Tree& tree) const;
  bool may_be_hidden(const Tree& tree) const;
  void signal_hidden(const Tree& tree, int signal) const;
  bool kill_hidden(const Tree& tree) const;
};

RealProcesses::RealProcesses() : impl_(std::make_unique<Impl>()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  listen_for_children();
}

RealProcesses::~RealProcesses() = default;

int RealProcesses::descriptor() const { return g_child_events; }

Result<RealProcesses::Impl::Leader> RealProcesses::Impl::start_leader(Child& child,
                                                                      const Spawn& spawn) {
  if (spawn.containment == Containment::pid_namespace) {
    ORCH_ASSIGN(NamespaceLaunch started, launch_in_namespace(child));
    if (child.failure.step != LaunchStep::none)
      return launch_error(child.program, child.failure, spawn.work);
    return Leader{identify(started.init).value_or(ProcessId{started.init, 0}),
                  std::move(started.report)};
  }
  const pid_t pid = launch(child);
  if (child.failure.step != LaunchStep::none)
    return launch_error(child.program, child.failure, spawn.work);
  return Leader{identify(pid).value_or(ProcessId{pid, 0})};
}

Result<Tree> RealProcesses::spawn(const Spawn& spawn) {
  ORCH_ASSIGN(const std::string program, find_program(spawn.argv.at(0), spawn.env));
  std::vector<std::string> argv = spawn.argv, env = environment_of(spawn);
  const std::vector<char*> argv_pointers = pointers(argv), env_pointers = pointers(env);
  Tree tree{.token = spawn.token, .boot_id = boot_id(), .containment = spawn.containment};
  const int output = spawn.log >= 0 ? spawn.log : impl_->null_log.get();
  Child child{.program = program.c_str(),
              .argv = argv_pointers.data(),
              .env = env_pointers.data(),
              .work = spawn.work.c_str(),
              .input = spawn.input >= 0 ? spawn.input : impl_->null.get(),
              .output = output,
              .errors = spawn.errors >= 0 ? spawn.errors : output,
              .limit_mark = limit_mark(spawn.token)};
  Descriptor procs;
  if (spawn.containment == Containment::cgroup) {
    tree.cgroup = cgroup_of(spawn.token);
    if (tree.cgroup.empty())
      return Error{ErrorKind::not_found,
                   fmt::format("cannot run '{}' in a cgroup of its own: this host has no cgroup v2",
                               program)};
    ORCH_ASSIGN(procs, make_cgroup(tree.cgroup));
    kill_point("cgroup-made");
    child.cgroup = procs.get();
  }
  auto leader = impl_->start_leader(child, spawn);
  if (!leader) {
    if (!tree.cgroup.empty()) remove_cgroup(tree.cgroup);
    return leader.error();
  }
  kill_point("tree-started");
  tree.leader = leader->id;
  impl_->spawned.insert(spawn.token);
  impl_->leaders.push_back(std::move(*leader));
  return tree;
}

// Reaps every child that has ended, including adopted orphans.
void RealProcesses::Impl::reap() {
  int status = 0;
  rusage usage{};
  for (pid_t pid = ::wait4(-1, &status, WNOHANG, &usage); pid > 0;
       pid = ::wait4(-1, &status, WNOHANG, &usage)) {
    const auto leader =
        std::ranges::find_if(leaders, [&](const Leader& one) { return one.id.pid == pid; });
    if (leader == leaders.end()) continue;
    Exit exit{.process = leader->id};
    NamespaceExit reported;
    if (leader->report &&
        ::read(leader->report.get(), &reported, sizeof reported) == sizeof reported)
      fill(exit, reported.status, reported.usage);
    else fill(exit, status, usage);
    exits.push_back(exit);
    leaders.erase(leader);
  }
}

// Called before reaping: a child that ends in between makes the descriptor readable again.
void RealProcesses::Impl::drain() {
  std::uint64_t events = 0;
  if (::read(g_child_events, &events, sizeof events) < 0) {
  }  // EAGAIN: no event
}

std::vector<Exit> RealProcesses::wait(double wait_s) {
  impl_->drain();
  impl_->reap();
  if (impl_->exits.empty() && wait_s > 0) {
    pollfd event{g_child_events, POLLIN, 0};
    ::poll(&event, 1, static_cast<int>(wait_s * 1000) + 1);
    impl_->drain();
    impl_->reap();
  }
  return std::exchange(impl_->exits, {});
}

// True: this process has no children left. As a subreaper it adopts orphans, so TREE, which it
// started, has ended completely. False proves nothing.
bool RealProcesses::Impl::has_no_children(const Tree& tree) {
  if (!spawned.contains(tree.token)) return false;
  reap();
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

// The leader of TREE if /proc does not show it, because /proc is unmounted or a different one. A
// child that was not reaped keeps its pid, so neither the pid nor its group can have been reused.
const RealProcesses::Impl::Leader* RealProcesses::Impl::hidden_leader(const Tree& tree) const {
  const auto leader =
      std::ranges::find_if(leaders, [&](const Leader& one) { return one.id == tree.leader; });
  siginfo_t info{};
  if (leader == leaders.end() || identify(leader->id.pid) == leader->id) return nullptr;
  return ::waitid(P_PID, static_cast<id_t>(leader->id.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0
             ? &*leader
             : nullptr;
}

// Whether TREE may have processes that /proc does not show: without /proc, any child may be one.
bool RealProcesses::Impl::may_be_hidden(const Tree& tree) const {
  return hidden_leader(tree) || (spawned.contains(tree.token) && !identify(::getpid()));
}

void RealProcesses::Impl::signal_hidden(const Tree& tree, int signal) const {
  if (const Leader* leader = hidden_leader(tree)) ::kill(-leader->id.pid, signal);
}

bool RealProcesses::Impl::kill_hidden(const Tree& tree) const {
  signal_hidden(tree, SIGKILL);
  return may_be_hidden(tree);
}

void RealProcesses::signal(const Tree& on_record, int signal) {
  const Tree tree = with_cgroup(on_record);
  if (!may_be_alive(tree, boot_id())) return;
  if (tree.containment == Containment::pid_namespace && signal != SIGSTOP &&
      containment_is_alive(tree)) {
    signal_process(tree.leader, signal);  // init forwards it, or kills the namespace by ending
  } else {
    if (tree.containment == Containment::cgroup && signal == SIGKILL)
      kill_in_cgroup(tree, TreeMark(tree));
    else signal_once(tree, TreeMark(tree), signal, Search::by_all_marks);
    impl_->signal_hidden(tree, signal);
  }
  kill_point("tree-signalled");
}

bool RealProcesses::alive(const Tree& on_record) {
  const Tree tree = with_cgroup(on_record);
  if (!may_be_alive(tree, boot_id())) return false;
  if (!impl_->has_no_children(tree) &&
      (containment_is_alive(tree) || any_marked(tree) || impl_->may_be_hidden(tree)))
    return true;
  if (!tree.cgroup.empty()) remove_cgroup(tree.cgroup);
  return false;
}

bool RealProcesses::end(const Tree& on_record, double within_s) {
  const Tree tree = with_cgroup(on_record);
  if (!may_be_alive(tree, boot_id())) return true;
  const TreeMark mark(tree);
  const HighPriority priority;
  const auto from = SteadyClock::now();
  int empty_passes = 0;
  std::vector<ProcessId> found;
  for (int round = 0; !impl_->has_no_children(tree); ++round) {
    empty_passes = kill_once(tree, mark, found) || impl_->kill_hidden(tree) ? 0 : empty_passes + 1;
    if (round == 0) kill_point("tree-killed");
    if (empty_passes == 2 && !kill_newest(mark)) break;
    if (seconds_since(from) > within_s) return false;
    if (empty_passes == 2) empty_passes = 0;
    if (empty_passes > 0 || impl_->has_no_children(tree)) continue;
    ::poll(nullptr, 0, round < 20 ? 1 : 20);  // interrupted by the end of a child
  }
  kill_point("tree-gone");
  if (!tree.cgroup.empty()) remove_cgroup(tree.cgroup);
  return true;
}

}  // namespace orch::system
