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
#include "wire/endpoint.hpp"
#include "load/prompts.hpp"
#include "load/triton_model.hpp"
#include "measure/request_record.hpp"

namespace orch::load {

// How the model is asked to choose tokens; what is not set is left to the server.
struct Sampling {
  std::optional<double> temperature;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> beam_width;
  std::optional<std::uint64_t> lora_task_id;
  std::vector<std::string> stop_words;
  std::vector<std::string> bad_words;
  bool log_probs = false;
  bool context_logits = false;
  bool generation_logits = false;
};

// What all requests of a run have in common.
struct RequestShape {
  wire::Url url;
  std::string model;
  bool stream = true;
  std::int64_t osl = 1;
  bool forced_osl = true;  // exactly osl tokens; false: at most, the model's end token ends it
  std::int64_t batch = 1;  // prompts in one request
  Sampling sampling = {};
  std::string authorization = {};  // the value of that header; "" for none
  std::optional<ModelFacts> facts = {};  // of a Triton model, where the server told them
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
  std::int64_t ids = 0;  // output tokens that came as ids
  std::optional<measure::ServerTimes> server_times;
};

// How the requests of a protocol travel.
struct Travel {
  std::string grpc_method;  // "" for HTTP/1.1, where a request is head and body; else its path, and a request is one message
  bool events = true;       // an answer is a stream of events; false: one body or message
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual Travel travel() const = 0;
  // One complete request, ready to be written to a connection. PROMPTS: as many as the batch has.
  virtual std::string request(std::span<const Prompt> prompts) const = 0;
  std::string request(const Prompt& prompt) const { return request({&prompt, 1}); }
  // Reads one event of a stream, or the whole body of an answer that is not streamed. Adds what it says to TOLD, of which
  // anything may be left as it was.
  virtual EventKind read_event(std::string_view event, Told& told) const = 0;
  // The server's message in the body of an answer whose status is not 200; "" when there is none to be found.
  virtual std::string read_refusal(std::string_view body) const = 0;
  // Whether forced_osl of its shape makes an answer exactly that long.
  virtual bool forces_length() const { return true; }
  // Standard inputs that the model does not have and that are left out.
  virtual std::vector<std::string> left_out() const { return {}; }
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
