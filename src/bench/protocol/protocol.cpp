#include "bench/protocol/protocol.hpp"

#include "core/base/header.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "bench/protocol/triton_model_query.hpp"

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
  return invalid(fmt::format("--input {}: its value is nested deeper than {}; give a flatter one",
                             name, k_input_depth));
}

}  // namespace orch::protocol
