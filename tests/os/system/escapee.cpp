// Trees that try to escape, and a process that starts such a tree and is then killed. Every process
// of a tree keeps FILE open and locked, so that it is found under any pid, session or environment.
//   escapee MODE FILE           a tree; it writes the line "ready" to FILE once it is complete.
//                               "dying-MODE": its leader requests to die with its parent
//   escapee keep CONTAINMENT SUBREAPER RECORD MODE FILE
//                               starts a tree, writes its record to RECORD, and waits
#include "os/system/process.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int k_most_generations = 3'000;  // of a chain; each leaves a zombie, and pids are few
constexpr int k_most_of_storm = 400;
constexpr std::size_t k_kept_bytes = 512U << 20;
constexpr unsigned k_most_life_s = 120;

void report_ready(int file) { (void)!::write(file, "ready\n", 6); }

[[noreturn]] void stay() {
  ::alarm(k_most_life_s);  // a safety net: inherited by exec, not by fork
  while (true) ::pause();
}

// Runs BODY in a session of its own, as an orphan.
template <class Body> void as_daemon(Body body) {
  if (const pid_t first = ::fork(); first != 0) {
    ::waitpid(first, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  body();
}

// The leader, a process detached by setsid and a double fork, and one more with an empty
// environment.
void escape(const char* self, const char* name, int file) {
  as_daemon([] { stay(); });
  as_daemon([&] {
    char* const argv[] = {const_cast<char*>(self), const_cast<char*>("sit"),
                          const_cast<char*>(name), nullptr};
    char* const nothing[] = {nullptr};
    ::execve(self, argv, nothing);
    ::_exit(1);
  });
  while (true) {  // until the process without an environment runs
    char text[16] = {};
    if (::pread(file, text, sizeof text - 1, 0) > 0 && std::strstr(text, "sitting")) break;
    ::usleep(500);
  }
  report_ready(file);
  stay();
}

// Each process forks one and exits.
void chain(bool own_sessions, int file) {
  if (::fork() == 0) {
    for (int generation = 0; generation < k_most_generations; ++generation) {
      if (generation == 20) report_ready(file);
      if (::fork() != 0) ::_exit(0);
      if (own_sessions) ::setsid();
    }
    stay();  // it has escaped
  }
  ::signal(SIGCHLD, SIG_IGN);
  stay();
}

// Every process forks until there are K_MOST_OF_STORM.
void storm(int file) {
  auto* count = static_cast<std::atomic<int>*>(::mmap(nullptr, sizeof(std::atomic<int>),
                                                      PROT_READ | PROT_WRITE,
                                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int number = count->fetch_add(1); number < k_most_of_storm; number = count->fetch_add(1)) {
    if (number == 20) report_ready(file);
    if (::fork() < 0) break;
    ::usleep(300);
  }
  stay();
}

void stubborn(int file) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  report_ready(file);
  stay();
}

// Its first thread has exited, another continues: /proc shows a zombie.
void headless(int file) {
  static int s_file;
  s_file = file;
  pthread_t other{};
  const auto run = [](void*) -> void* {
    char state[512] = {};
    while (true) {
      const int stat = ::open("/proc/self/stat", O_RDONLY);
      const ssize_t length = ::read(stat, state, sizeof state - 1);
      ::close(stat);
      if (length > 0 && std::strstr(state, ") Z ")) break;
      ::usleep(500);
    }
    report_ready(s_file);
    stay();
  };
  if (::pthread_create(&other, nullptr, run, nullptr) == 0) ::pthread_exit(nullptr);
}

// Dies slowly: its large anonymous file is freed after its memory and environment, and before its
// last descriptor is closed.
void slow_to_die(int file) {
  const int kept = ::memfd_create("kept", 0);
  if (::ftruncate(kept, k_kept_bytes) == 0)
    if (void* text = ::mmap(nullptr, k_kept_bytes, PROT_WRITE, MAP_SHARED, kept, 0);
        text != MAP_FAILED)
      std::memset(text, 1, k_kept_bytes);
  const int last = ::dup(file);  // descriptors are closed in order
  ::close(file);
  report_ready(last);
  stay();
}

void stopped(int file) {
  if (::fork() == 0) {
    ::raise(SIGSTOP);
    stay();
  }
  ::waitpid(-1, nullptr, WUNTRACED);
  report_ready(file);
  stay();
}

int keep(char** argv) {
  using namespace orch::system;
  RealProcesses processes;
  ::prctl(PR_SET_CHILD_SUBREAPER, std::strcmp(argv[3], "subreaper") == 0 ? 1 : 0);
  char self[4096] = {};  // the resolved path: in a mount namespace the link differs
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  const auto tree =
      processes.spawn({.argv = {self, argv[5], argv[6]},
                       .env = {},
                       .work = "/",
                       .token = new_token(),
                       .containment = *orch::parse_name<orch::system::Containment>(argv[2])});
  if (!tree) return 1;
  std::ofstream(argv[4]) << tree->token << ' ' << tree->leader.pid << ' '
                         << tree->leader.start_ticks << ' ' << tree->boot_id << ' '
                         << (tree->cgroup.empty() ? "-" : tree->cgroup) << '\n';
  while (true) (void)processes.wait(60);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 7 && std::strcmp(argv[1], "keep") == 0) return keep(argv);
  if (argc != 3) return 2;
  const int file = ::open(argv[2], O_RDWR | O_CREAT | O_APPEND, 0644);
  std::string mode = argv[1];
  if (mode.starts_with("dying-")) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    mode = mode.substr(6);
  }
  if (mode != "sit") ::flock(file, LOCK_EX);  // inherited by forks
  if (mode == "sit") {
    (void)!::write(file, "sitting\n", 8);
    stay();
  }
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  if (mode == "escape") escape(self, argv[2], file);
  if (mode == "chain") chain(false, file);
  if (mode == "chain-setsid") chain(true, file);
  if (mode == "storm") storm(file);
  if (mode == "stubborn") stubborn(file);
  if (mode == "headless") headless(file);
  if (mode == "slow_to_die") slow_to_die(file);
  if (mode == "stopped") stopped(file);
  return 2;
}
