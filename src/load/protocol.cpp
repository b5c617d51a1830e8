#include "load/protocol.hpp"

#include "base/text.hpp"

namespace orch::load {
namespace {

constexpr ProtocolRow k_table[] = {
    {"triton-http", "Triton's generate and generate_stream extension over HTTP/1.1", make_triton_http},
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

}  // namespace orch::load
