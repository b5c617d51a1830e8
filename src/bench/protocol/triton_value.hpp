// Parses a user's values for a model's inputs into tensors.
#pragma once

#include "bench/protocol/triton_model.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::protocol {

// Arrays in NumPy's file format, as tensors. Opens no file.

struct NpyArray {
  std::string file;      // for errors
  std::string datatype;  // as in Triton's metadata: FP16, INT32, ...
  std::vector<std::int64_t> shape;
  std::string contents;  // little-endian, last dimension fastest
};

// An array as the value of an input.
struct NamedArray {
  std::string name;
  std::shared_ptr<const NpyArray> array;
};

// Reads TEXT, the content of FILE. Errors (another format, an unsupported order or type, contents
// shorter or longer than the shape) name the file, the problem and the remedy.
Result<NpyArray> read_npy(std::string_view text, const std::string& file);

// ARRAY as the value of INPUT for each of BATCH rows; BATCH 0: the model has no batch dimension.
// Leading dimensions of 1 that INPUT lacks are dropped. Errors: another type, or a shape that does
// not fit.
Result<Tensor> array_tensor(const ModelTensor& input, const NpyArray& array, std::int64_t batch);

// Tensors as the raw contents of Triton's gRPC messages: little-endian numbers, and texts with a
// length prefix.

std::string raw_contents(const Tensor& tensor);

// Removes the first text of a BYTES tensor from RAW and returns it. nullopt if RAW does not begin
// with a complete text.
std::optional<std::string_view> take_raw_text(std::string_view& raw);
// A numeric type of a tensor.
struct Datatype {
  std::string_view name;
  std::size_t size;  // bytes per element
  bool is_signed;    // true for FP too
};
// Null if DATATYPE is not a known numeric type.
const Datatype* find_datatype(std::string_view datatype);
// Bytes per element of DATATYPE; 0 if it is not a known numeric type.
std::size_t raw_size(std::string_view datatype);
// Element INDEX of a tensor of any numeric type as JSON: a number, true or false; "null" if JSON
// cannot express it or INDEX is out of range.
std::string raw_json(std::string_view raw, std::string_view datatype, std::size_t index);
// Element INDEX of a tensor of integers or BOOL (of FP: its bits); nullopt if INDEX is out of range
// or DATATYPE is not numeric.
std::optional<std::int64_t> raw_integer(std::string_view raw, std::string_view datatype,
                                        std::size_t index);

// The numbers of a tensor as a JSON list, with null for non-finite ones; a JSON string that
// describes them if DATATYPE is not numeric.
std::string raw_list(std::string_view raw, std::string_view datatype);

// Reads TEXT (JSON, or for BYTES any text) as the value of INPUT and repeats it for each of BATCH
// rows; BATCH 0: the model has no batch dimension. The shape of a flat list is inferred as by
// Triton: the number of values, divided by the fixed dimensions, is the size of the innermost free
// dimension. Errors name the input, the value and the expected type and shape.
Result<Tensor> read_value(const ModelTensor& input, std::string_view text, std::int64_t batch);

// The same for an unknown input: type and dimensions are derived from TEXT.
Result<Tensor> read_unknown_value(const std::string& name, std::string_view text,
                                  std::int64_t batch);

// TENSOR, which has one row, with BATCH equal rows; BATCH 0: the model has no batch dimension.
Tensor repeated(Tensor tensor, std::int64_t batch);

// "[1, 8]".
std::string shape_text(const std::vector<std::int64_t>& shape);
// The number of elements of a tensor of SHAPE.
std::int64_t elements_of(const std::vector<std::int64_t>& shape);
// Whether a tensor of SHAPE fits an input with these DIMS, both without the batch.
bool fits_dims(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& dims);

// The shape that Triton's generate extension infers for a flat list of ELEMENTS values of INPUT.
std::vector<std::int64_t> inferred_shape(const ModelTensor& input, std::int64_t elements,
                                         bool batched);

}  // namespace orch::protocol
