// The processes that serve a port on this host's loopback, and their CPU time and memory, from
// /proc. Sends no signals, and needs only this user's rights.
#pragma once

#include "os/system/tree_signal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

// The processes that listen on PORT of the loopback or of any address, by their numbers in
// host_proc(), so that a measurement in one PID namespace sees a server in another. Excludes this
// process and Docker's proxies, which only forward. Also empty if /proc hides the listener, for
// example because it belongs to another user.
std::set<int> listeners_on(std::uint16_t port);

// Every process that listens on PORT at any address, with its name. Empty if /proc hides it.
std::map<int, std::string> all_listeners_on(std::uint16_t port);

// The LISTENERS, their ancestors in the same session, and the descendants of all of these: for a
// server started by mpirun, mpirun and every rank. The chain of ancestors stops before an ancestor
// of SELF, and before a session leader with a terminal, which is a user's shell.
std::set<int> server_tree(std::span<const ProcessFacts> everyone, const std::set<int>& listeners,
                          int self);

struct ServerUse {
  double wall_s = 0;  // from the first look to the last
  // Of all processes in that time, except those that start and end between two looks.
  double cpu_s = 0;
  // The largest sum of resident memory in any look; shared pages count once per process.
  std::uint64_t rss_bytes_peak = 0;
  int processes = 0;  // at the last look
};

// Samples the processes that serve PORTS. Sums resident rather than proportional memory: for the
// latter the kernel walks all pages of a process with its memory map locked, which would disturb
// the server. Use from one thread.
class ServerProcesses {
 public:
  // Finds the listeners of PORTS.
  explicit ServerProcesses(std::span<const std::uint16_t> ports);

  // The ports without a visible listener.
  const std::vector<std::uint16_t>& unseen() const { return unseen_; }
  const std::set<int>& listeners() const { return listeners_; }
  std::set<int> tree() const;
  // Takes one sample. A sample that finds no process is dropped.
  void look();
  // nullopt before the second look, or if the interval is too short for the resolution of CPU time.
  std::optional<ServerUse> use() const;

 private:
  struct Seen {
    double first_cpu_s = 0;
    double last_cpu_s = 0;
  };

  std::string proc_;
  std::vector<std::uint16_t> unseen_;
  std::set<int> listeners_;
  std::map<ProcessId, Seen> seen_;
  double first_s_ = 0;
  double last_s_ = 0;
  int looks_ = 0;
  int processes_ = 0;
  std::uint64_t rss_bytes_peak_ = 0;
};

// The value of NAME in the environment with which process PID of host_proc() was started; nullopt
// if it was not set or cannot be read.
std::optional<std::string> environment_of(int pid, std::string_view name);

}  // namespace orch::system
