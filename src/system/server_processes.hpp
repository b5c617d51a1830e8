// Which processes serve a port of this host's loopback, and what they take of CPU and memory, as
// /proc tells it. Signals nobody, and needs no right but to look at one's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "system/targets.hpp"

namespace orch::system {

// Processes that listen on PORT of the loopback, or of every address, by the numbers that they have
// in host_proc(): a measurement in a PID namespace of ours sees the server in another. Empty:
// nobody, or somebody that we may not look into, such as another user's. Ourselves and Docker's
// proxies, which only hand on, are left out.
std::set<int> listeners_on(std::uint16_t port);

// The LISTENERS, those above them in their session, and all that are below any of these: with a
// server that mpirun started, mpirun and every rank. What is above stops below a process that is
// also above US, and below a session's leader that has a terminal: that is a person's shell.
std::set<int> server_tree(std::span<const ProcessFacts> everyone, const std::set<int>& listeners,
                          int us);

struct ServerUse {
  double wall_s = 0;  // from the first look to the last
  double cpu_s =
      0;  // of all processes in that time. One that came and went between two looks is missing
  std::uint64_t rss_bytes_peak =
      0;  // the most seen at one look: the sum of resident memory, shared pages counted for each
  int processes = 0;  // at the last look
};

// Looks at the processes that serve PORTS, again and again. Resident and not proportional memory is
// summed: to work out shares the kernel walks all pages of a process with its memory map locked,
// which the server would notice.
class ServerProcesses {
 public:
  // Finds who listens.
  explicit ServerProcesses(std::span<const std::uint16_t> ports);

  // Ports that nobody serves whom we may see.
  const std::vector<std::uint16_t>& unseen() const { return unseen_; }
  const std::set<int>& listeners() const { return listeners_; }
  std::set<int> tree() const;
  void look();
  // Empty before the second look, and while no time passed that the kernel's clock for CPU time
  // could tell.
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

// The value of variable NAME when process PID of host_proc() was started; empty when it had none or
// we may not look.
std::optional<std::string> environment_of(int pid, std::string_view name);

}  // namespace orch::system
