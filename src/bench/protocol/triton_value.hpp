// Parses user-given values of a model's inputs into tensors. It does not know what an input is for.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "bench/protocol/triton_model.hpp"

namespace orch::protocol {

// Reads TEXT (JSON, or for BYTES any text) as the value of INPUT and repeats it for each of BATCH
// rows; BATCH 0: the model has no batch dimension. A flat list fills the dimensions as Triton
// infers them: fixed dimensions divide it, the innermost free dimension takes the rest. Errors name
// the input, the value and the expected type and shape.
Result<Tensor> read_value(const ModelTensor& input, std::string_view text, std::int64_t batch);

// The same for an unknown input: type and dimensions are derived from TEXT.
Result<Tensor> read_unknown_value(const std::string& name, std::string_view text,
                                  std::int64_t batch);

// Whether a tensor of SHAPE fits an input with these DIMS, both without the batch.
bool fits_dims(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& dims);

// The shape that Triton's generate extension infers for a flat list of ELEMENTS values of INPUT.
std::vector<std::int64_t> inferred_shape(const ModelTensor& input, std::int64_t elements,
                                         bool batched);

}  // namespace orch::protocol
