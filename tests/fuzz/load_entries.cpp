#include "fuzz/entries.hpp"

#include "load/protocol.hpp"
#include "load/triton_ask.hpp"

#include <cstdio>
#include <cstdlib>

namespace orch::fuzz {

namespace {

void expect(bool holds, const char* what, std::string_view shown) {
  if (holds) return;
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(shown.size()), shown.data());
  std::abort();
}

// Every protocol, for streams and for answers in one body.
const std::vector<std::unique_ptr<load::Protocol>>& readers() {
  static const std::vector<std::unique_ptr<load::Protocol>> all = [] {
    std::vector<std::unique_ptr<load::Protocol>> out;
    for (const load::ProtocolRow& row : load::protocol_table())
      for (const bool stream : {true, false}) {
        auto made = row.make({.url = *wire::parse_url("http://a:1"), .model = "m", .stream = stream, .osl = 4, .facts = load::usual_ensemble("m"), .inputs = {}});
        expect(made.ok(), "the fuzzer's own protocol", row.name);
        out.push_back(std::move(*made));
      }
    return out;
  }();
  return all;
}

std::size_t size_of(const load::Told& told) {
  std::size_t size = told.text.size() + told.failure.size();
  for (const std::string& other : told.others) size += other.size();
  return size;
}

void look_at(load::EventKind kind, std::string_view event, const load::Told& before, const load::Told& after) {
  const bool token = kind == load::EventKind::token;
  const auto size = static_cast<std::int64_t>(event.size());
  expect(after.ids >= before.ids && after.ids - before.ids <= size, "more ids than an event has room for", event);
  expect(after.ids == before.ids || token, "ids of what is no token", event);
  expect(after.begun == (before.begun || token), "an answer that begins without a token, or not with one", event);
  expect(size_of(after) <= size_of(before) + event.size(), "more text than came", event);
  expect(!after.osl || (*after.osl >= 0 && *after.osl <= load::k_most_tokens), "a number of tokens that cannot be", event);
  expect(after.odd_count.size() <= 40, "more of a count than is shown", event);
  if (after.server_times) expect(after.server_times->scheduled_ns >= 0 && after.server_times->first_token_ns <= after.server_times->last_token_ns, "times out of order", event);
}

}  // namespace

void read_events(std::string_view text) {
  for (const auto& reader : readers()) {
    load::Told told;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view event = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const load::Told before = told;
      const load::EventKind kind = reader->read_event(event, told);
      look_at(kind, event, before, told);
    }
    static_cast<void>(reader->read_refusal(text));
  }
  static_cast<void>(load::read_model_config(text));
}

}  // namespace orch::fuzz
