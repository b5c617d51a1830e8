// Lines of text over a local socket, in both directions. Knows nothing of their meaning.
#pragma once

#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/files.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch::execute {

// The process at the other end, as the kernel recorded it when it connected or began to listen.
struct Peer {
  int pid = 0;
  unsigned uid = 0;
};

// Used from one thread.
class Channel {
 public:
  Channel() = default;
  explicit Channel(system::Descriptor socket);

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int descriptor() const { return socket_.get(); }
  Peer peer() const;
  // LINE without a line end. False: the peer is gone, or has not read for 10 s.
  bool send(std::string_view line);
  // Reads what has arrived, without waiting. False: the peer is gone; lines that it sent before can
  // still be taken.
  bool fill();
  // The next line received so far.
  std::optional<std::string> next_line();
  // The next line. Empty when the peer is gone or none arrives within WITHIN_S.
  std::optional<std::string> wait_line(system::Clock& clock, double within_s);
  void close() { socket_ = {}; }

 private:
  system::Descriptor socket_;
  std::string text_;  // received and not yet taken
};

// Listens under NAME in the abstract namespace of local sockets: it leaves nothing on disk and ends
// with the process.
Result<system::Descriptor> listen_as(const std::string& name);
// Empty when no process listens under NAME. Does not wait.
std::optional<system::Descriptor> connect_to(const std::string& name);

}  // namespace orch::execute
