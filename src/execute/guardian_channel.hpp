// Lines of text over a local socket, both ways. Knows nothing of what they say.
#pragma once

#include "base/result.hpp"
#include "system/clock.hpp"
#include "system/files.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch::execute {

// Who is at the other end, as the kernel saw it: for one who listens, when it began to.
struct Peer {
  int pid = 0;
  unsigned uid = 0;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(system::Descriptor socket);

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int descriptor() const { return socket_.get(); }
  Peer peer() const;
  // LINE has no line end. False: the other side is gone, or has not read for too long.
  bool send(std::string_view line);
  // Takes in what is there, without waiting. False: the other side is gone; what it sent before is
  // still to be had.
  bool fill();
  std::optional<std::string> next_line();
  // The next line, once it comes; nothing when the other side is gone or WITHIN_S are over.
  std::optional<std::string> wait_line(system::Clock& clock, double within_s);
  void close() { socket_ = {}; }

 private:
  system::Descriptor socket_;
  std::string text_;  // received, not yet asked for
};

// A guardian answers under its name in the abstract namespace of local sockets: nothing on disk,
// gone with the process.
Result<system::Descriptor> listen_as(const std::string& name);
// Nothing when nobody listens. Does not wait.
std::optional<system::Descriptor> connect_to(const std::string& name);

}  // namespace orch::execute
