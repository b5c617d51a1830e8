// Values that a user gives for a model's inputs, from text to tensors. It does not know what an
// input is for.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "protocol/triton_model.hpp"

namespace orch::protocol {

// TEXT (JSON, or for BYTES any text) as the value of INPUT, once for each of BATCH rows; BATCH 0:
// the model has no batch dimension. A flat list fills the dimensions as Triton infers them: what is
// fixed divides it, the innermost free one takes the rest. Errors name the input, the value and
// what would fit.
Result<Tensor> read_value(const ModelTensor& input, std::string_view text, std::int64_t batch);

// The same for an input of which nothing is known: its type and dimensions are what TEXT looks
// like.
Result<Tensor> read_unknown_value(const std::string& name, std::string_view text,
                                  std::int64_t batch);

// The shape that Triton's generate extension gives to ELEMENTS values of INPUT, which come to it as
// a flat list.
std::vector<std::int64_t> inferred_shape(const ModelTensor& input, std::int64_t elements,
                                         bool batched);

}  // namespace orch::protocol
