// What requests and events look like on a wire: one file and one row of the table below per
// protocol. A protocol makes bytes before the timed loop and reads them after a response ended; it
// never touches a socket or a clock.
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
#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "prompt/prompts.hpp"
#include "protocol/sampling.hpp"
#include "protocol/triton_model.hpp"
#include "measure/request_record.hpp"

namespace orch::protocol {

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
  bool send_ids = false;           // prompts go as ids where the protocol lets choose
  bool stoppable = false;  // each request has a place for an id, by which another can end it
  std::optional<ModelFacts> facts = {};  // of a Triton model, where the server told them
  // Further inputs by name, in order; they replace what the protocol would set. A value that is
  // JSON goes as it is, any other text as a string.
  std::vector<std::pair<std::string, std::string>> inputs;
};

enum class EventKind {
  token,      // carries tokens of the answer, even if its text is empty
  other,      // belongs to the protocol: never counts and never moves the last stamp
  failure,    // the server says that the request failed
  malformed,  // not what this protocol sends
};

// An id of a request: decimal digits, so that servers whose ids are numbers take it as it is.
inline constexpr std::size_t k_id_digits = 19;
std::string text_of_id(std::uint64_t id);

// No answer is longer: a larger count is an error of whoever says it.
inline constexpr std::int64_t k_most_tokens = 1'000'000'000;

// What the events of one answer said so far.
struct Told {
  std::string text;  // of the first sequence, or of all where the server does not tell them apart
  std::vector<std::string> others;  // of further sequences
  std::int64_t sequences = 65'536;  // as many as were asked for, where that is known
  std::string failure;
  std::string malformed;  // why an event is none, where its protocol knows better than to show it
  std::optional<std::int64_t> isl;  // tokens, as the server counts them, over all sequences
  std::optional<std::int64_t> osl;
  std::optional<std::int64_t> isl_cached;  // of isl, those that the server had computed before
  std::string odd_count;  // the first that the server called a number of tokens and that is none
  std::int64_t ids = 0;   // output tokens that came as ids
  std::int64_t more_texts =
      0;  // beyond the one of each event, where an event brought those of several sequences
  std::optional<std::int64_t> first_event_tokens;  // of a stream, where the server says how many
  bool begun = false;                              // an event with tokens came
  bool done = false;                               // the server said that nothing more comes
  std::vector<bool> ended;                         // of each sequence: the server said why it ended
  bool ended_early = false;                        // and of one that it ended by itself
  std::vector<std::int64_t>
      osl_of_each;  // of each sequence, where the server counts them apart; osl is their sum
  std::optional<measure::ServerTimes> server_times;

  // Where the text of sequence INDEX goes; one that was not asked for counts as the first.
  std::string& text_of(std::int64_t index);
  // The server said why sequence INDEX ended.
  void end(std::int64_t index);
  // It said so of each sequence of which anything came.
  bool all_ended() const;
  // The server counts so many tokens in sequence INDEX by now.
  void count_of(std::int64_t index, std::int64_t tokens);
  // All texts, a line end between them.
  std::string answer() const;
  // RAW as a number of tokens: whole, from 0 to k_most_tokens. Else empty, and RAW is kept as
  // odd_count.
  std::optional<std::int64_t> read_count(std::string_view raw);
  std::optional<std::int64_t> read_count(std::int64_t number);

 private:
  std::size_t place_of(std::int64_t index) const {
    return index <= 0 || index >= sequences ? 0 : static_cast<std::size_t>(index);
  }
};

// How the requests of a protocol travel.
struct Travel {
  std::string grpc_method;  // "" for HTTP/1.1, where a request is head and body; else its path, and
                            // a request is one message
  bool events = true;       // an answer is a stream of events; false: one body or message
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual Travel travel() const = 0;
  // One complete request, ready to be written to a connection. PROMPTS: as many as the batch has.
  virtual std::string request(std::span<const prompt::Prompt> prompts) const = 0;
  std::string request(const prompt::Prompt& prompt) const { return request({&prompt, 1}); }
  // Where a request that is stoppable has the k_id_digits of its id, all of them 0.
  virtual std::size_t id_at(std::string_view /*request*/) const { return 0; }
  // A request that ends the one with ID before its time, and how it travels; "": the model cannot
  // be asked for that.
  virtual std::string stop_request(std::string_view /*id*/) const { return {}; }
  virtual Travel stop_travel() const { return travel(); }
  // Reads one event of a stream, or the whole body of an answer that is not streamed. Adds what it
  // says to TOLD, of which anything may be left as it was.
  virtual EventKind read_event(std::string_view event, Told& told) const = 0;
  // The server's message in the body of an answer whose status is not 200; "" when there is none to
  // be found.
  virtual std::string read_refusal(std::string_view body) const = 0;
  // Why an answer that came to its end as far as the wire knows was not whole; "" where nothing
  // tells, or it was.
  virtual std::string unfinished(const Told&) const { return {}; }
  // Output tokens that request(PROMPTS) asks for, at most or exactly, over all its sequences.
  virtual std::int64_t osl(std::span<const prompt::Prompt> prompts) const = 0;
  // Whether forced_osl of its shape makes an answer exactly that long.
  virtual bool forces_length() const { return true; }
  // Answers to one request: of each prompt of a batch, and several to a prompt where that was asked
  // for. Lengths are over all.
  virtual std::int64_t sequences() const { return 1; }
  // What it is given as prompts is sent; false: every request has one of its own.
  virtual bool sends_prompts() const { return true; }
  // Prompts go as the messages that they have, and as their text where they have none.
  virtual bool sends_messages() const { return false; }
  // Prompts go as ids: one without any cannot be sent.
  virtual bool takes_ids() const { return false; }
  // Answers come as ids, all of which are theirs: their number is the number of tokens.
  virtual bool counts_ids() const { return false; }
  // Standard inputs that the model does not have and that are left out.
  virtual std::vector<std::string> left_out() const { return {}; }
};

struct ProtocolRow {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<Protocol>> (*make)(RequestShape shape);
  // What the server says of a model, for RequestShape::facts; null where servers of this protocol
  // do not tell. The error is not_found where only this server does not: requests can be made
  // without.
  Result<ModelFacts> (*ask)(const wire::Url& url, std::string_view model,
                            const wire::Access& access, int timeout_ms);
};

std::span<const ProtocolRow> protocol_table();
// Whether the servers of a protocol are Tritons, and have their pages.
inline bool is_triton(std::string_view protocol) { return protocol.starts_with("triton-"); }
// Errors name the protocols that there are.
Result<const ProtocolRow*> find_protocol(std::string_view name);
// Errors besides: what SHAPE asks for and the protocol or the model cannot say.
Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape);

Result<std::unique_ptr<Protocol>> make_triton_http(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_triton_grpc(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_openai_completions(RequestShape shape);
Result<std::unique_ptr<Protocol>> make_openai_chat(RequestShape shape);

// The head of an HTTP/1.1 request with a JSON body, up to the value of Content-Length.
std::string json_post_head(const RequestShape& shape, std::string_view path);

// The JSON of a refusal, which some servers write as the first event of a stream.
std::string_view refusal_json(std::string_view body);

// Whether VALUE of --input NAME can be read: JSON that is nested without end cannot.
Status check_depth(std::string_view name, std::string_view value);

}  // namespace orch::protocol
