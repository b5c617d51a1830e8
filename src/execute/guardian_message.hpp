// The messages between an executor and a guardian: one line of JSON each. Bytes that are not UTF-8
// arrive unchanged. Knows nothing of sockets.
#pragma once

#include "execute/executor.hpp"
#include "execute/exit_record.hpp"
#include "system/diagnostics.hpp"

#include <optional>
#include <string>
#include <variant>

namespace orch::execute {

inline constexpr int k_guardian_version = 1;

// Requests of the executor. Hello is the first message to a guardian that was just started.
struct Hello {
  int version = k_guardian_version;
  std::string name;
  std::string folder;  // where it writes its card
  double grace_s = 0;
};
// The first message to a guardian of a dead process: asks for the launch TOKEN.
struct Attach {
  int version = k_guardian_version;
  std::string token;
  double grace_s = 0;
};
struct Start {
  Launch launch;
  system::Containment containment = system::Containment::session;
  system::LogLevel log_level = system::LogLevel::off;  // of the guardian's own diagnostics
};
struct Signal {
  int signal = 0;
};
struct Quit {};  // once it is idle
using Request = std::variant<Hello, Attach, Start, Signal, Quit>;

// Replies of the guardian.
struct Welcome {};
struct Attached {
  Handle handle;
  double for_s = 0;  // since the launch was spawned
};
struct NotHeld {};  // it does not run that launch
struct Busy {};     // it runs that launch for another orchestrator that is alive
struct Started {
  Handle handle;
};
struct Refused {
  Error error;
};
using Reply = std::variant<Welcome, Attached, NotHeld, Busy, Started, Refused, Ended>;

std::string to_line(const Request& request);
std::string to_line(const Reply& reply);
// Empty when LINE is not a message of this protocol.
std::optional<Request> parse_request(const std::string& line);
std::optional<Reply> parse_reply(const std::string& line);

}  // namespace orch::execute
