// Tensors as the raw contents of Triton's gRPC messages: little-endian numbers, and texts with a
// length prefix. It does not know what a tensor is for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/protocol/triton_model.hpp"

namespace orch::protocol {

std::string raw_contents(const Tensor& tensor);

// Removes the first text of a BYTES tensor from RAW. Empty: RAW holds no complete text.
std::optional<std::string_view> take_raw_text(std::string_view& raw);
// Bytes per element of DATATYPE; 0: it is not a known numeric type.
std::size_t raw_size(std::string_view datatype);
// Element INDEX of a tensor of any numeric type as JSON: a number, true or false; "null" for what
// JSON cannot express, and out of range.
std::string raw_json(std::string_view raw, std::string_view datatype, std::size_t index);
// Element INDEX of an integer or BOOL tensor; empty if out of range.
std::optional<std::int64_t> raw_integer(std::string_view raw, std::string_view datatype,
                                        std::size_t index);

// The numbers of a tensor as a JSON list; null where one is not finite, and a text for a datatype
// without numbers.
std::string raw_list(std::string_view raw, std::string_view datatype);

}  // namespace orch::protocol
