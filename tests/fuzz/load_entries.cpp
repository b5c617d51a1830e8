// The entries for events of every protocol.
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_model_query.hpp"
#include "fuzz/entries.hpp"
#include "fuzz/expect.hpp"

namespace orch::fuzz {

namespace {

using Readers = std::vector<std::unique_ptr<protocol::Protocol>>;

// Adds the readers of ROW, for streams and for answers in one body.
void add_readers(const protocol::ProtocolRow& row, const protocol::ModelFacts& facts,
                 const protocol::Sampling& sampling, Readers& out) {
  for (const bool stream : {true, false}) {
    if (stream && !facts.decoupled) continue;  // it answers in one piece
    auto made = row.make({.url = *wire::parse_url("http://a:1"),
                          .model = facts.name,
                          .stream = stream,
                          .osl = 4,
                          .sampling = sampling,
                          .facts = facts,
                          .inputs = {}});
    expect(made.ok(), "the fuzzer's own protocol",
           made.ok() ? row.name : std::string_view(made.error().message));
    out.push_back(std::move(*made));
  }
}

bool is_grpc(const protocol::ProtocolRow& row) { return row.name == "triton-grpc"; }

// Every protocol whose events are texts.
const Readers& text_readers() {
  static const Readers all = [] {
    Readers out;
    for (const protocol::ProtocolRow& row : protocol::protocol_table())
      if (!is_grpc(row)) add_readers(row, protocol::usual_ensemble("m"), {}, out);
    return out;
  }();
  return all;
}

// Readers of texts and of ids, for models that are decoupled and for others.
const Readers& tensor_readers() {
  static const Readers all = [] {
    protocol::ModelFacts engine{.name = "tensorrt_llm", .inputs = {}, .max_batch_size = 8};
    for (const char* name : {"input_ids", "input_lengths", "request_output_len", "beam_width"})
      engine.inputs.push_back({.name = name,
                               .datatype = "INT32",
                               .dims = {std::string_view(name) == "input_ids" ? -1 : 1}});
    engine.inputs.push_back({.name = "streaming", .datatype = "BOOL", .dims = {1}});
    Readers out;
    for (const protocol::ProtocolRow& row : protocol::protocol_table())
      for (protocol::ModelFacts facts : {protocol::usual_ensemble("m"), engine})
        for (const bool decoupled : {true, false}) {
          facts.decoupled = decoupled;
          if (is_grpc(row)) add_readers(row, facts, {.beam_width = 2}, out);
        }
    return out;
  }();
  return all;
}

std::size_t size_of(const protocol::AnswerState& state) {
  std::size_t size = state.text.size() + state.failure.size();
  for (const std::string& other : state.further_texts) size += other.size();
  return size;
}

void check(protocol::EventKind kind, std::string_view event, const protocol::AnswerState& before,
           const protocol::AnswerState& after) {
  const bool token = kind == protocol::EventKind::token;
  const auto size = static_cast<std::int64_t>(event.size());
  expect(after.id_count >= before.id_count && after.id_count - before.id_count <= size,
         "more ids than an event has room for", event);
  expect(after.id_count == before.id_count || token, "ids in an event that is not a token", event);
  expect(after.started == (before.started || token),
         "an answer that starts without a token, or does not start with one", event);
  expect(size_of(after) <= size_of(before) + event.size(), "more text than the event has", event);
  expect(!after.osl || (*after.osl >= 0 && *after.osl <= protocol::k_most_tokens),
         "an invalid token count", event);
  expect(after.invalid_count.size() <= 40, "an invalid count that is too long to report", event);
  if (after.server_times)
    expect(after.server_times->scheduled_ns >= 0 &&
               after.server_times->first_token_ns <= after.server_times->last_token_ns,
           "times out of order", event);
}

// True: EVENT is a token.
bool read_one(const protocol::Protocol& reader, std::string_view event,
              protocol::AnswerState& state) {
  const protocol::AnswerState before = state;
  const protocol::EventKind kind = reader.read_event(event, state);
  check(kind, event, before, state);
  return kind == protocol::EventKind::token;
}

}  // namespace

void read_events(std::string_view text) {
  for (const auto& reader : text_readers()) {
    protocol::AnswerState state;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      static_cast<void>(read_one(*reader, rest.substr(0, end), state));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    static_cast<void>(reader->read_refusal(text));
  }
  static_cast<void>(protocol::read_model_config(text));
}

std::size_t read_tensors(std::string_view bytes) {
  std::size_t tokens = 0;
  for (const auto& reader : tensor_readers()) {
    protocol::AnswerState state;
    for (std::string_view rest = bytes; rest.size() >= 2;) {
      const std::size_t size =
          static_cast<unsigned char>(rest[0]) + 256U * static_cast<unsigned char>(rest[1]);
      const std::string_view event = rest.substr(2, size);
      rest.remove_prefix(2 + event.size());
      tokens += read_one(*reader, event, state);
    }
  }
  return tokens;
}

}  // namespace orch::fuzz
