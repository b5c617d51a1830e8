// What an executor and a guardian say to each other: one line of JSON per message. Bytes that are
// no UTF-8 arrive as they were sent. Knows nothing of sockets.
#pragma once

#include "execute/executor.hpp"
#include "execute/exit_record.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace orch::execute {

inline constexpr int k_guardian_version = 1;

// From the executor. The first word to a guardian just started:
struct Hello {
  int version = k_guardian_version;
  std::string name;
  std::string folder;  // where it writes down who it is
  double grace_s = 0;
};
// The first word to one of a process that is gone: TOKEN is to be ours again.
struct Attach {
  int version = k_guardian_version;
  std::string token;
  double grace_s = 0;
};
struct Start {
  Launch launch;
  system::Containment containment = system::Containment::session;
};
struct Signal {
  int signal = 0;
};
struct Quit {};  // when it is idle
using Request = std::variant<Hello, Attach, Start, Signal, Quit>;

// From the guardian.
struct Welcome {};
struct Attached {
  Handle handle;
  double for_s = 0;
};
struct NotHeld {};  // it does not have that launch
struct Busy {};     // it has, and another orchestrator that is still there
struct Started {
  Handle handle;
};
struct Refused {
  Error error;
};
using Reply = std::variant<Welcome, Attached, NotHeld, Busy, Started, Refused, Ended>;

std::string to_line(const Request& request);
std::string to_line(const Reply& reply);
// Nothing when LINE is none of ours.
std::optional<Request> parse_request(const std::string& line);
std::optional<Reply> parse_reply(const std::string& line);

}  // namespace orch::execute
