// Arrays in NumPy's file format, as tensors. It does not know what an array is for, and opens no
// file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/protocol/triton_model.hpp"

namespace orch::protocol {

struct NpyArray {
  std::string file;      // for errors
  std::string datatype;  // as metadata of Triton write it: FP16, INT32, ...
  std::vector<std::int64_t> shape;
  std::string contents;  // little-endian, the last dimension fastest
};

// An array as the value of an input.
struct NamedArray {
  std::string name;
  std::shared_ptr<const NpyArray> array;
};

// Reads the text of FILE. Errors name the file, what is wrong with it, and the remedy: another
// format, an order or a type that cannot be sent, contents that are shorter or longer than its
// shape.
Result<NpyArray> read_npy(std::string_view text, const std::string& file);

// ARRAY as the value of INPUT for each of BATCH rows; BATCH 0: the model has no batch dimension.
// Leading dimensions of 1 that INPUT lacks are dropped. Errors: another type, a shape that does not
// fit.
Result<Tensor> array_tensor(const ModelTensor& input, const NpyArray& array, std::int64_t batch);

}  // namespace orch::protocol
