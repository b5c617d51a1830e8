// The messages between an executor and a guardian: one line of JSON each. Invalid UTF-8 arrives
// unchanged.
#pragma once

#include "core/base/fields_json.hpp"
#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/files.hpp"
#include "run/execute/executor.hpp"
#include "run/execute/exit_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace orch::execute {

inline constexpr int k_guardian_version = 1;

// Requests of the executor. Hello is the first message to a guardian that was just started. A
// message's first row identifies its type.
struct Hello {
  int version = k_guardian_version;
  std::string name;
  std::string folder;  // where the guardian writes its card
  double grace_s = 0;
};
constexpr auto fields_of(Tag<Hello>) {
  return rows_of(required<&Hello::name>("hello"), required<&Hello::version>("version"),
                 required<&Hello::folder>("folder"), required<&Hello::grace_s>("grace_s"));
}
// The first message to a guardian that a dead process left: requests the launch TOKEN.
struct Attach {
  int version = k_guardian_version;
  std::string token;
  double grace_s = 0;
};
constexpr auto fields_of(Tag<Attach>) {
  return rows_of(required<&Attach::token>("attach"), required<&Attach::version>("version"),
                 required<&Attach::grace_s>("grace_s"));
}
struct Start {
  Launch launch;
  system::Containment containment = system::Containment::session;
  system::LogLevel log_level = system::LogLevel::off;  // of the guardian's own diagnostics
};
constexpr auto fields_of(Tag<Start>) {
  return rows_of(required<&Start::launch>("start"), required<&Start::containment>("containment"),
                 field<&Start::log_level>("log_level"));
}
struct Signal {
  int signal = 0;
};
constexpr auto fields_of(Tag<Signal>) { return rows_of(required<&Signal::signal>("signal")); }
// The only row of a message that has no content besides its type.
template <class Message> constexpr Field<Message> mark(std::string_view key) {
  return {.key = key,
          .column = "",
          .type = FieldType::flag,
          .get = [](const Message&) -> Value { return true; },
          .set = [](Message&, const Value&) { return true; }};
}
struct Quit {};  // takes effect once the guardian is idle
constexpr auto fields_of(Tag<Quit>) { return rows_of(mark<Quit>("quit")); }
using Request = std::variant<Hello, Attach, Start, Signal, Quit>;

// Replies of the guardian.
struct Welcome {};
constexpr auto fields_of(Tag<Welcome>) { return rows_of(mark<Welcome>("welcome")); }
struct Attached {
  Handle handle;
  double for_s = 0;  // since the launch was spawned
};
constexpr auto fields_of(Tag<Attached>) {
  return rows_of(as_text<&Attached::handle>("attached"), required<&Attached::for_s>("for_s"));
}
struct NotHeld {};  // the guardian does not run that launch
constexpr auto fields_of(Tag<NotHeld>) { return rows_of(mark<NotHeld>("not_held")); }
struct Busy {};  // the guardian runs that launch for another live orchestrator
constexpr auto fields_of(Tag<Busy>) { return rows_of(mark<Busy>("busy")); }
struct Started {
  Handle handle;
};
constexpr auto fields_of(Tag<Started>) { return rows_of(as_text<&Started::handle>("started")); }
struct Refused {
  Error error;
};
constexpr auto fields_of(Tag<Refused>) {
  auto kind = required<&Refused::error, &Error::number>("kind");
  kind.get = [](const Refused& refused) {
    return Value(static_cast<std::int64_t>(refused.error.kind));
  };
  kind.set = [](Refused& refused, const Value& value) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number) return false;
    refused.error.kind = static_cast<ErrorKind>(*number);
    return true;
  };
  return rows_of(required<&Refused::error, &Error::message>("refused"), kind,
                 field<&Refused::error, &Error::number>("number"));
}
struct Over {
  ExitRecord record;  // only its `ended` matters
};
constexpr auto fields_of(Tag<Over>) { return rows_of(as_text<&Over::record>("ended")); }
using Reply = std::variant<Welcome, Attached, NotHeld, Busy, Started, Refused, Over>;

std::string to_line(const Request& request);
std::string to_line(const Reply& reply);
// nullopt if LINE is not a message of this protocol.
std::optional<Request> parse_request(const std::string& line);
std::optional<Reply> parse_reply(const std::string& line);

// Lines of text over a local socket, in both directions.

// The process at the other end, as recorded by the kernel when it connected or began to listen.
struct Peer {
  int pid = 0;
  unsigned uid = 0;
};

// Use from one thread.
class Channel {
 public:
  Channel() = default;
  explicit Channel(system::Descriptor socket);

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int descriptor() const { return socket_.get(); }
  Peer peer() const;
  // Sends LINE, which has no newline. False: the peer is gone, or has not read for 10 s.
  bool send(std::string_view line);
  // Reads what has arrived, without waiting. False: the peer is gone, or its line is longer than
  // 16 MiB; lines that arrived before can still be taken.
  bool fill();
  // Takes the next line that has been received; does not wait.
  std::optional<std::string> next_line();
  // Takes the next line. nullopt if the peer is gone or no line arrives within WITHIN_S.
  std::optional<std::string> wait_line(system::Clock& clock, double within_s);
  void close() { socket_ = {}; }

 private:
  system::Descriptor socket_;
  std::string text_;  // received but not yet taken
};

// Listens under NAME in the abstract namespace of local sockets, which leaves nothing on disk. The
// name is free again once the process has ended.
Result<system::Descriptor> listen_as(const std::string& name);
// Connects without waiting. nullopt if no process listens under NAME.
std::optional<system::Descriptor> connect_to(const std::string& name);

}  // namespace orch::execute
