// What requests and events look like on a wire: one file and one row of the table below per protocol. A protocol makes
// bytes before the timed loop and reads them after a response ended; it never touches a socket or a clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "load/endpoint.hpp"
#include "load/prompts.hpp"

namespace orch::load {

// What all requests of a run have in common.
struct RequestShape {
  Url url;
  std::string model;
  bool stream = true;
  std::int64_t osl = 1;
  bool forced_osl = true;  // exactly osl tokens; false: at most, the model's end token ends it
  // Further inputs by name, in order; they replace what the protocol would set. A value that is JSON goes as it is, any
  // other text as a string.
  std::vector<std::pair<std::string, std::string>> inputs;
};

enum class EventKind {
  token,      // carries tokens of the answer, even if its text is empty
  other,      // belongs to the protocol: never counts and never moves the last stamp
  failure,    // the server says that the request failed
  malformed,  // not what this protocol sends
};

// What the events of one answer said so far.
struct Told {
  std::string text;
  std::string failure;
  std::optional<std::int64_t> isl;  // tokens, as the server counts them
  std::optional<std::int64_t> osl;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // One complete request, ready to be written to a connection.
  virtual std::string request(const Prompt& prompt) const = 0;
  // Reads one event of a stream, or the whole body of an answer that is not streamed. Adds what it says to TOLD, of which
  // anything may be left as it was.
  virtual EventKind read_event(std::string_view event, Told& told) const = 0;
  // The server's message in the body of an answer whose status is not 200; "" when there is none to be found.
  virtual std::string read_refusal(std::string_view body) const = 0;
  // Whether forced_osl of its shape makes an answer exactly that long.
  virtual bool forces_length() const { return true; }
};

struct ProtocolRow {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Protocol> (*make)(RequestShape shape);
};

std::span<const ProtocolRow> protocol_table();
// Errors name the protocols that there are.
Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape);

std::unique_ptr<Protocol> make_triton_http(RequestShape shape);
std::unique_ptr<Protocol> make_triton_llmapi(RequestShape shape);
std::unique_ptr<Protocol> make_openai_completions(RequestShape shape);
std::unique_ptr<Protocol> make_openai_chat(RequestShape shape);

// A value of RequestShape::inputs as JSON text.
std::string input_json(const std::string& value);

}  // namespace orch::load
