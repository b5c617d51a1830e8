// Tensors as the raw contents of Triton's gRPC messages: numbers one after another in little-endian order, texts each with
// its length before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "load/triton_model.hpp"

namespace orch::load {

std::string raw_contents(const Tensor& tensor);

// Adds every text of a BYTES tensor to OUT. False: RAW is none.
bool append_raw_texts(std::string_view raw, std::string& out);
// Bytes of one element of DATATYPE; 0: it is no number or not known.
std::size_t raw_size(std::string_view datatype);
// Element INDEX of an integer or BOOL tensor; empty: it has none.
std::optional<std::int64_t> raw_integer(std::string_view raw, std::string_view datatype, std::size_t index);

}  // namespace orch::load
