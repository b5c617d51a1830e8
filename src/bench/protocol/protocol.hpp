// The requests and events of one protocol. Each protocol has one row in the table below. A protocol
// makes requests before the timed loop starts and reads events that have been received; it never
// touches a socket or a clock.
#pragma once

#include "bench/measure/request_record.hpp"
#include "bench/prompt/prompts.hpp"
#include "bench/protocol/triton_model.hpp"
#include "bench/protocol/triton_value.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/transport.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::protocol {

// Sampling parameters of a request, independent of the protocol.

// The server chooses the values that are not set.
struct Sampling {
  std::optional<double> temperature = {};
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<double> repetition_penalty = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<std::int64_t> beam_width = {};
  std::optional<std::uint64_t> lora_task_id = {};
  // Digest of the adapter's weights, which the first request carries; "": the server has them.
  std::string lora_weights_sha256 = {};
  std::vector<std::string> stop_words = {};
  std::vector<std::string> bad_words = {};
  bool log_probs = false;
  bool context_logits = false;
  bool generation_logits = false;
};

// The state of one answer while its events are read: texts, token counts and failures so far,
// independent of the protocol.

enum class EventKind {
  token,      // carries tokens of the answer, even if its text is empty
  other,      // belongs to the protocol, but is neither counted nor timed
  failure,    // the server reports that the request failed
  malformed,  // not an event of this protocol
};

// No answer is longer: a larger count is an error of the server.
inline constexpr std::int64_t k_most_tokens = 1'000'000'000;

struct AnswerState {
  // The text of the first sequence, or of all if the server does not separate them.
  std::string text;
  std::vector<std::string> further_texts;  // of the other sequences
  std::int64_t sequences = 65'536;         // number of sequences, if known
  // Whether `values` gets the log probabilities and logits: one JSON object per event, joined by
  // commas.
  bool keeps_values = false;
  std::string values;
  std::string failure;
  std::string malformed_reason;     // "": evident from the event itself
  std::optional<std::int64_t> isl;  // tokens as counted by the server, over all sequences
  // Number of prompt ids at the beginning of the ids of an event, for servers that echo the prompt;
  // nullopt: unknown.
  std::optional<std::int64_t> prompt_ids;
  std::optional<std::int64_t> osl;
  std::optional<std::int64_t> isl_cached;  // the part of isl that the server had cached
  std::string invalid_count;               // the first reported count that is invalid
  std::int64_t id_count = 0;               // output tokens that arrived as ids
  std::int64_t extra_texts = 0;  // texts beyond one per event, if an event carries several
  std::optional<std::int64_t> first_event_tokens;  // of a stream, if the server reports them
  // The last event with tokens. A protocol without this information leaves the members unchanged.
  struct EventText {
    bool empty = false;      // none of its tokens has text
    bool reasoning = false;  // it has text of the model's reasoning
    bool visible = true;     // it has text of the answer itself, a refusal or a tool call
  } event;
  bool started = false;      // an event with tokens arrived
  bool ended_full = false;   // the server ended a sequence because it reached the length limit
  bool done = false;         // the server announced the end of the stream
  std::vector<bool> ended;   // per sequence: the server gave a finish reason
  bool ended_early = false;  // the model itself ended a sequence
  std::vector<std::int64_t>
      osl_by_sequence;  // if the server counts them separately; osl is the sum
  std::optional<measure::ServerTimes> server_times;

  // The text of sequence INDEX. An index out of range means the first.
  std::string& text_of(std::int64_t index);
  // Notes that the server gave a finish reason for sequence INDEX.
  void end_sequence(std::int64_t index);
  // Whether every sequence that sent text has a finish reason.
  bool all_ended() const;
  // Sets the tokens of sequence INDEX so far, and osl to the sum.
  void set_osl(std::int64_t index, std::int64_t tokens);
  // All texts, joined by newlines.
  std::string answer() const&;
  std::string answer() &&;
  // RAW as a token count: an integer from 0 to k_most_tokens. Otherwise nullopt, and the first such
  // RAW is kept as invalid_count.
  std::optional<std::int64_t> parse_count(std::string_view raw);
  std::optional<std::int64_t> parse_count(std::int64_t number);

 private:
  std::size_t slot_of(std::int64_t index) const {
    return index <= 0 || index >= sequences ? 0 : static_cast<std::size_t>(index);
  }
};

// What all requests of a run share.
struct RequestShape {
  wire::Url url;
  std::string model;
  bool stream = true;
  std::int64_t osl = 1;
  bool forced_osl = true;  // exactly osl tokens; false: at most, and the model's end token may end
                           // the answer earlier
  std::int64_t batch = 1;  // prompts in one request
  Sampling sampling = {};
  std::string authorization = {};         // value of the Authorization header; "" for none
  std::vector<std::string> headers = {};  // additional ones, "NAME: VALUE"
  bool send_ids = false;                  // send prompts as ids if the protocol supports both
  bool stoppable = false;                 // requests carry an id by which a stop request names them
  std::optional<ModelFacts> facts = {};   // of a Triton model, if the server reported them
  // Additional inputs by name, in order; they replace those that the protocol would set. A value
  // that is JSON is sent unchanged, any other text as a string.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<NamedArray> arrays = {};  // additional inputs, for Triton protocols only
};

// Request ids are decimal digits, so that servers with numeric ids accept them.
inline constexpr std::size_t k_id_digits = 19;
std::string text_of_id(std::uint64_t id);

// Properties of a protocol that are the same for all its requests.
struct ProtocolTraits {
  wire::WireFormat wire;
  // Answers per request: one for each prompt of a batch, times the requested answers per prompt.
  // Lengths are sums over all of them.
  std::int64_t sequences = 1;
  bool forces_length = true;    // the shape's forced_osl makes an answer exactly that long
  bool sends_prompts = true;    // false: a user's input replaces the prompt in all requests
  bool sends_messages = false;  // sends a prompt's messages, or its text if it has none
  bool takes_ids = false;       // sends prompts as ids; a prompt without ids cannot be sent
  bool takes_fields = false;    // sends the fields of a prompt
  std::vector<std::string> omitted_inputs = {};  // standard inputs that the model lacks
};

// Makes requests that stop other requests.
class Stopper {
 public:
  virtual ~Stopper() = default;

  virtual wire::WireFormat stop_wire() const = 0;
  // The offset in REQUEST of its id, k_id_digits zeros; 0 if the shape is not stoppable.
  virtual std::size_t id_at(std::string_view request) const = 0;
  // A request that stops the one with ID.
  virtual std::string stop_request(std::string_view id) const = 0;
};

class Protocol {
 public:
  explicit Protocol(ProtocolTraits traits) : traits_(std::move(traits)) {}
  virtual ~Protocol() = default;

  const ProtocolTraits& traits() const { return traits_; }

  // One complete request, ready to be written to a connection. PROMPTS: one batch.
  virtual std::string request(std::span<const prompt::Prompt> prompts) const = 0;
  std::string request(const prompt::Prompt& prompt) const { return request({&prompt, 1}); }
  // The output tokens that request(PROMPTS) requests, at most or exactly, over all its sequences.
  virtual std::int64_t osl(std::span<const prompt::Prompt> prompts) const = 0;
  // Reads one event of a stream, or the whole body of a non-streamed answer, into STATE. The caller
  // may have cleared the texts of STATE since the last event.
  virtual EventKind read_event(std::string_view event, AnswerState& state) const = 0;
  // The server's message in the body of an answer whose status is not 200; "" if there is none.
  virtual std::string read_refusal(std::string_view body) const = 0;
  // Why an answer that ended without a transport error is incomplete; "" if it is complete, or the
  // protocol has no way to know.
  virtual std::string why_incomplete(const AnswerState& state) const = 0;
  // Borrowed from the protocol; null if the model does not support stop requests.
  virtual const Stopper* stopper() const = 0;

 private:
  ProtocolTraits traits_;
};

struct ServerQuery;

struct ProtocolRow {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<Protocol>> (*make)(RequestShape shape);
  // Asks the server for the facts of a model. Null if servers of this protocol have none. The error
  // not_found means that this server does not report them; requests can be made without them.
  Result<ModelFacts> (*ask)(const ServerQuery& query);
};

std::span<const ProtocolRow> protocol_table();
// Whether a protocol's servers are Triton servers, which have Triton's pages.
inline bool is_triton(std::string_view protocol) { return protocol.starts_with("triton-"); }
// Errors list the known protocols.
Result<const ProtocolRow*> find_protocol(std::string_view name);
// Also fails if SHAPE requires something that the protocol or the model does not support.
Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape);

Result<std::unique_ptr<Protocol>> make_triton_http(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_triton_grpc(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_openai_completions(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_openai_chat(RequestShape shape);

// The head of an HTTP/1.1 request with a JSON body, up to the value of Content-Length.
std::string json_post_head(const RequestShape& shape, std::string_view path);

// The path of PAGE ("/models") on an OpenAI server. The URL's path may already end with /v1 or with
// an endpoint's path.
std::string openai_path(const wire::Url& url, std::string_view page);

// The remedy if a server refuses the credentials of ACCESS: another token or header, or a token if
// there is none.
std::string token_remedy(const wire::Access& access);

// The JSON of a refusal. Some servers send it as the first event of a stream.
std::string_view refusal_json(std::string_view body);

// Fails if VALUE of --input NAME is JSON that is nested too deeply.
Status check_depth(std::string_view name, std::string_view value);

}  // namespace orch::protocol
