#include "bench/protocol/triton_value.hpp"

#include "bench/protocol/protocol.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <numeric>

#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace {

using nlohmann::json;

Error unfit(const ModelTensor& input, std::string_view text, std::string_view why) {
  return invalid(fmt::format("--input {}: {} {}; the model's input is {} {}", input.name,
                             quoted(text), why, input.datatype, shape_text(input.dims)));
}

constexpr std::size_t k_most_dimensions = 8;

// The leaves of a JSON value in order, and its shape if all lists of a level have equal length.
struct Flat {
  std::vector<const json*> leaves;
  std::vector<std::int64_t> shape;
  bool even = true;
};

void flatten(const json& value, std::size_t level, Flat& out) {
  if (!value.is_array() || level == k_most_dimensions) {
    out.even = out.even && level == out.shape.size();
    out.leaves.push_back(&value);
    return;
  }
  const auto size = static_cast<std::int64_t>(value.size());
  if (level == out.shape.size() && out.leaves.empty()) out.shape.push_back(size);
  out.even = out.even && level < out.shape.size() && out.shape[level] == size;
  for (const json& element : value) flatten(element, level + 1, out);
}

bool read_leaf(const json& leaf, const Datatype& type, std::int64_t& out) {
  if (!leaf.is_number_integer()) return false;
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * type.size + type.is_signed);
  if (leaf.is_number_unsigned()) {
    const auto value = leaf.get<std::uint64_t>();
    out = static_cast<std::int64_t>(value);
    return value <= most;
  }
  out = leaf.get<std::int64_t>();
  return out >= (type.is_signed ? -static_cast<std::int64_t>(most) - 1 : 0);
}

bool read_leaf(const json& leaf, std::int64_t& out) {
  out = leaf == true || leaf == 1 ? 1 : 0;
  return leaf.is_boolean() || leaf == 0 || leaf == 1;
}

// Converts the leaves to DATATYPE. False if one of them does not fit.
bool read_leaves(const Flat& flat, std::string_view datatype, Tensor& out) {
  if (datatype == "BYTES") {
    auto& values = out.values.emplace<std::vector<std::string>>();
    for (const json* leaf : flat.leaves)
      values.push_back(leaf->is_string() ? leaf->get<std::string>() : dump(*leaf));
    return true;
  }
  const Datatype* type = datatype.find("INT") == datatype.npos ? nullptr : find_datatype(datatype);
  if (type != nullptr || datatype == "BOOL") {
    auto& values = out.values.emplace<std::vector<std::int64_t>>(flat.leaves.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(type != nullptr ? read_leaf(*flat.leaves[i], *type, values[i])
                            : read_leaf(*flat.leaves[i], values[i])))
        return false;
    return true;
  }
  auto& values = out.values.emplace<std::vector<double>>();
  for (const json* leaf : flat.leaves) {
    if (!leaf->is_number()) return false;
    values.push_back(leaf->get<double>());
  }
  return true;
}

template <class Values> void repeat(Values& values, std::int64_t times) {
  const Values once = values;
  values.reserve(once.size() * static_cast<std::size_t>(times));
  for (; times > 1; --times) values.insert(values.end(), once.begin(), once.end());
}
void repeat(RawNumbers& numbers, std::int64_t times) { repeat(numbers.bytes, times); }

// TEXT as JSON; as plain text if it is not JSON, or if the input takes texts and TEXT is neither a
// JSON string nor a list of them.
json parse_value(std::string_view text, bool takes_texts) {
  json value = json::parse(text, nullptr, false);
  const bool is_text =
      value.is_string() || (value.is_array() && std::ranges::all_of(value, &json::is_string));
  if (value.is_discarded() || (takes_texts && !is_text)) return json(text);
  return value;
}

}  // namespace

Tensor repeated(Tensor tensor, std::int64_t batch) {
  if (batch < 1) return tensor;
  if (batch > 1) std::visit([&](auto& values) { repeat(values, batch); }, tensor.values);
  tensor.shape.insert(tensor.shape.begin(), batch);
  return tensor;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool fits_dims(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& dims) {
  return std::equal(shape.begin(), shape.end(), dims.begin(), dims.end(),
                    [](std::int64_t size, std::int64_t dim) { return dim < 0 || size == dim; });
}

std::vector<std::int64_t> inferred_shape(const ModelTensor& input, std::int64_t elements,
                                         bool batched) {
  std::vector<std::int64_t> shape = input.dims;
  if (batched) shape.insert(shape.begin(), -1);
  for (const std::int64_t size : shape)
    if (size > 0) elements /= size;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size)
    if (*size < 0) *size = std::exchange(elements, 1);
  return shape;
}

Result<Tensor> read_value(const ModelTensor& input, std::string_view text, std::int64_t batch) {
  ORCH_TRY(check_depth(input.name, text));
  const json value = parse_value(text, input.datatype == "BYTES");
  Flat flat;
  flatten(value, 0, flat);
  Tensor out{.name = input.name, .datatype = input.datatype};
  if (!read_leaves(flat, input.datatype, out))
    return unfit(input, text, fmt::format("is not of type {}", input.datatype));
  const auto elements = static_cast<std::int64_t>(flat.leaves.size());
  out.shape = flat.even && flat.shape.size() == input.dims.size()
                  ? flat.shape
                  : inferred_shape(input, elements, false);
  if (!fits_dims(out.shape, input.dims) || elements_of(out.shape) != elements)
    return unfit(input, text, "does not fit its shape");
  return repeated(std::move(out), batch);
}

Result<Tensor> read_unknown_value(const std::string& name, std::string_view text,
                                  std::int64_t batch) {
  ORCH_TRY(check_depth(name, text));
  const json value = parse_value(text, false);
  const json& first = value.is_array() && !value.empty() ? value.front() : value;
  ModelTensor input{
      .name = name, .datatype = "BYTES", .dims = {value.is_array() ? -1 : 1}, .optional = true};
  if (first.is_boolean()) input.datatype = "BOOL";
  else if (first.is_number_float()) input.datatype = "FP64";
  else if (first.is_number()) input.datatype = "INT64";
  return read_value(input, text, batch);
}

}  // namespace orch::protocol
