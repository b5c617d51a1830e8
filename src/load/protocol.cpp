#include "load/protocol.hpp"

#include "base/text.hpp"

#include <nlohmann/json.hpp>

namespace orch::load {
namespace {

constexpr ProtocolRow k_table[] = {
    {"triton-http", "Triton's generate and generate_stream extension over HTTP/1.1", make_triton_http},
    {"triton-llmapi", "the same with the inputs of TensorRT-LLM's llmapi model", make_triton_llmapi},
    {"openai-completions", "OpenAI's /v1/completions", make_openai_completions},
    {"openai-chat", "OpenAI's /v1/chat/completions", make_openai_chat},
};

}  // namespace

std::span<const ProtocolRow> protocol_table() { return k_table; }

Result<std::unique_ptr<Protocol>> make_protocol(std::string_view name, RequestShape shape) {
  std::vector<std::string> names;
  for (const ProtocolRow& row : k_table) {
    if (row.name == name) return row.make(std::move(shape));
    names.emplace_back(row.name);
  }
  return invalid(fmt::format("unknown protocol '{}'{}; there is: {}", name, did_you_mean(name, names), join(names, ", ")));
}

std::string input_json(const std::string& value) {
  return nlohmann::json::accept(value) ? value : nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace orch::load
