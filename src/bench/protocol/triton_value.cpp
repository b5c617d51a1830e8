#include "bench/protocol/triton_value.hpp"

#include "bench/protocol/protocol.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace {

using nlohmann::json;

struct IntegerType {
  std::string_view name;
  std::int64_t least;
  std::uint64_t most;
};

template <class T> constexpr IntegerType integer_type(std::string_view name) {
  return {name, std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0,
          static_cast<std::uint64_t>(std::numeric_limits<T>::max())};
}

constexpr IntegerType k_integers[] = {
    integer_type<std::int8_t>("INT8"),     integer_type<std::int16_t>("INT16"),
    integer_type<std::int32_t>("INT32"),   integer_type<std::int64_t>("INT64"),
    integer_type<std::uint8_t>("UINT8"),   integer_type<std::uint16_t>("UINT16"),
    integer_type<std::uint32_t>("UINT32"), integer_type<std::uint64_t>("UINT64"),
};

const IntegerType* find_integer(std::string_view name) {
  const auto found =
      std::ranges::find_if(k_integers, [&](const IntegerType& type) { return type.name == name; });
  return found == std::end(k_integers) ? nullptr : found;
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

Error unfit(const ModelTensor& input, std::string_view text, std::string_view why) {
  return invalid(fmt::format("--input {}: {} {}; the model's input is {} {}", input.name,
                             quoted(text), why, input.datatype, dims_text(input.dims)));
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

bool read_leaf(const json& leaf, const IntegerType& type, std::int64_t& out) {
  if (!leaf.is_number_integer()) return false;
  if (leaf.is_number_unsigned()) {
    const auto value = leaf.get<std::uint64_t>();
    out = static_cast<std::int64_t>(value);
    return value <= type.most;
  }
  out = leaf.get<std::int64_t>();
  return out >= type.least;
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
  if (const IntegerType* type = find_integer(datatype); type != nullptr || datatype == "BOOL") {
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

template <class T> void repeat(std::vector<T>& values, std::int64_t times) {
  const std::size_t once = values.size();
  values.reserve(once * static_cast<std::size_t>(times));
  for (; times > 1; --times)
    values.insert(values.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(once));
}

void batch_up(Tensor& tensor, std::int64_t batch) {
  if (batch < 1) return;
  std::visit(
      [&](auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, RawNumbers>)
          repeat(values, batch);
      },
      tensor.values);
  tensor.shape.insert(tensor.shape.begin(), batch);
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t out = 1;
  for (const std::int64_t size : shape) out *= size;
  return out;
}

// TEXT as JSON; as plain text if it is not JSON, or if the input takes texts and TEXT is neither a
// JSON string nor a list of them.
json parse_value(std::string_view text, bool takes_texts) {
  json value = json::parse(text, nullptr, false);
  const bool is_text =
      value.is_string() || (value.is_array() && std::ranges::all_of(value, [](const json& each) {
                              return each.is_string();
                            }));
  if (value.is_discarded() || (takes_texts && !is_text)) return json(text);
  return value;
}

}  // namespace

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
  if (!fits_dims(out.shape, input.dims) || product(out.shape) != elements)
    return unfit(input, text, "does not fit its shape");
  batch_up(out, batch);
  return out;
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
