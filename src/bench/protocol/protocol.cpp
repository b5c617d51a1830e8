#include "bench/protocol/protocol.hpp"

#include "bench/protocol/triton_model_query.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

namespace orch::protocol {

namespace {

constexpr int k_input_depth = 64;

constexpr ProtocolRow k_table[] = {
    {"triton-http", "Triton's generate and generate_stream extension over HTTP/1.1",
     make_triton_http, ask_model_http},
    {"triton-grpc", "Triton's ModelInfer and ModelStreamInfer over gRPC", make_triton_grpc,
     ask_model_grpc},
    {"openai-completions", "OpenAI's /v1/completions", make_openai_completions, nullptr},
    {"openai-chat", "OpenAI's /v1/chat/completions", make_openai_chat, nullptr},
};

}  // namespace

std::string& AnswerState::text_of(std::int64_t index) {
  const std::size_t slot = slot_of(index);
  if (slot == 0) return text;
  if (further_texts.size() < slot) further_texts.resize(slot);
  return further_texts[slot - 1];
}

void AnswerState::end_sequence(std::int64_t index) {
  const std::size_t slot = slot_of(index);
  if (ended.size() <= slot) ended.resize(slot + 1);
  ended[slot] = true;
}

bool AnswerState::all_ended() const {
  return ended.size() == further_texts.size() + 1 && std::ranges::find(ended, false) == ended.end();
}

void AnswerState::set_osl(std::int64_t index, std::int64_t tokens) {
  const std::size_t slot = slot_of(index);
  if (osl_by_sequence.size() <= slot) osl_by_sequence.resize(slot + 1);
  osl_by_sequence[slot] = tokens;
  osl = std::accumulate(osl_by_sequence.begin(), osl_by_sequence.end(), std::int64_t{0});
}

std::string AnswerState::answer() const& {
  std::string out = text;
  for (const std::string& further : further_texts) out.append("\n").append(further);
  return out;
}

std::string AnswerState::answer() && {
  for (const std::string& further : further_texts) text.append("\n").append(further);
  return std::move(text);
}

std::optional<std::int64_t> AnswerState::parse_count(std::string_view raw) {
  const std::optional<double> number = to_real(raw);
  if (number && *number >= 0 && *number <= static_cast<double>(k_most_tokens) &&
      *number == std::floor(*number))
    return static_cast<std::int64_t>(*number);
  constexpr std::size_t k_shown = 40;
  if (invalid_count.empty()) invalid_count = raw.substr(0, k_shown);
  return {};
}

std::optional<std::int64_t> AnswerState::parse_count(std::int64_t number) {
  if (number >= 0 && number <= k_most_tokens) return number;
  if (invalid_count.empty()) invalid_count = fmt::format("{}", number);
  return {};
}

std::string text_of_id(std::uint64_t id) { return fmt::format("{:0{}}", id, k_id_digits); }

std::span<const ProtocolRow> protocol_table() { return k_table; }

Result<const ProtocolRow*> find_protocol(std::string_view name) {
  std::vector<std::string> names;
  for (const ProtocolRow& row : k_table) {
    if (row.name == name) return &row;
    names.emplace_back(row.name);
  }
  return invalid(fmt::format("unknown protocol '{}'{}; known: {}", name, did_you_mean(name, names),
                             join(names, ", ")));
}

Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape) {
  ORCH_ASSIGN(const ProtocolRow* row, find_protocol(name));
  return row->make(std::move(shape));
}

std::string json_post_head(const RequestShape& shape, std::string_view path) {
  const std::string authorization =
      shape.authorization.empty() ? "" : fmt::format("Authorization: {}\r\n", shape.authorization);
  std::string further;
  for (const std::string& line : shape.headers) further += line + "\r\n";
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\n{}{}Content-Type: application/json\r\nContent-Length: ",
      path, shape.url.authority(), authorization, further);
}

std::string token_remedy(const wire::Access& access) {
  if (access.authorization.empty() && !access.headers.empty())
    return fmt::format("it does not accept the value of --header {}; export the right one",
                       header_names(access.headers));
  return access.authorization.empty()
             ? "give a token with --token-file or --token-env"
             : "the token of --token-file or --token-env is not accepted; give another one";
}

std::string_view refusal_json(std::string_view body) {
  body = trim(body);
  return body.starts_with("data:") ? trim(body.substr(5, body.find('\n') - 5)) : body;
}

Status check_depth(std::string_view name, std::string_view value) {
  if (!parse_shallow<nlohmann::json>(value, k_input_depth).too_deep) return {};
  return invalid(fmt::format("--input {}: its value is nested deeper than {} levels; flatten it",
                             name, k_input_depth));
}

}  // namespace orch::protocol
