#include "protocol/protocol.hpp"

#include <cmath>
#include <numeric>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "protocol/triton_ask.hpp"

#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace {

// More sequences than a server sends are not told apart.
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

std::string& Told::text_of(std::int64_t index) {
  const std::size_t place = place_of(index);
  if (place == 0) return text;
  if (others.size() < place) others.resize(place);
  return others[place - 1];
}

void Told::end(std::int64_t index) {
  const std::size_t place = place_of(index);
  if (ended.size() <= place) ended.resize(place + 1);
  ended[place] = true;
}

bool Told::all_ended() const {
  return ended.size() == others.size() + 1 &&
         std::find(ended.begin(), ended.end(), false) == ended.end();
}

void Told::count_of(std::int64_t index, std::int64_t tokens) {
  const std::size_t place = place_of(index);
  if (osl_of_each.size() <= place) osl_of_each.resize(place + 1);
  osl_of_each[place] = tokens;
  osl = std::accumulate(osl_of_each.begin(), osl_of_each.end(), std::int64_t{0});
}

std::string Told::answer() const {
  std::string out = text;
  for (const std::string& other : others) out.append("\n").append(other);
  return out;
}

std::optional<std::int64_t> Told::read_count(std::string_view raw) {
  const std::optional<double> number = to_real(raw);
  if (number && *number >= 0 && *number <= static_cast<double>(k_most_tokens) &&
      *number == std::floor(*number))
    return static_cast<std::int64_t>(*number);
  constexpr std::size_t k_shown = 40;
  if (odd_count.empty()) odd_count = raw.substr(0, k_shown);
  return {};
}

std::optional<std::int64_t> Told::read_count(std::int64_t number) {
  if (number >= 0 && number <= k_most_tokens) return number;
  if (odd_count.empty()) odd_count = fmt::format("{}", number);
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
  return invalid(fmt::format("unknown protocol '{}'{}; there is: {}", name,
                             did_you_mean(name, names), join(names, ", ")));
}

Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape) {
  ORCH_ASSIGN(const ProtocolRow* row, find_protocol(name));
  return row->make(std::move(shape));
}

std::string json_post_head(const RequestShape& shape, std::string_view path) {
  const std::string authorization =
      shape.authorization.empty() ? "" : fmt::format("Authorization: {}\r\n", shape.authorization);
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: ", path,
      shape.url.authority(), authorization);
}

std::string_view refusal_json(std::string_view body) {
  body = trim(body);
  return body.starts_with("data:") ? trim(body.substr(5, body.find('\n') - 5)) : body;
}

Status check_depth(std::string_view name, std::string_view value) {
  if (!parse_shallow<nlohmann::json>(value, k_input_depth).too_deep) return {};
  return invalid(fmt::format("--input {}: its value is nested deeper than {}; give a flatter one",
                             name, k_input_depth));
}

}  // namespace orch::protocol
