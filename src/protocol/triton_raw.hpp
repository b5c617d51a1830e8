// Tensors as the raw contents of Triton's gRPC messages: numbers one after another in little-endian
// order, texts each with its length before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/triton_model.hpp"

namespace orch::protocol {

std::string raw_contents(const Tensor& tensor);

// Takes the first text of a BYTES tensor out of RAW. Empty: there is none, or only a part of it.
std::optional<std::string_view> take_raw_text(std::string_view& raw);
// Bytes of one element of DATATYPE; 0: it is no number or not known.
std::size_t raw_size(std::string_view datatype);
// Element INDEX of an integer or BOOL tensor; empty: it has none.
std::optional<std::int64_t> raw_integer(std::string_view raw, std::string_view datatype,
                                        std::size_t index);

}  // namespace orch::protocol
