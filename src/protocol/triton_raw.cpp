#include "protocol/triton_raw.hpp"

#include "base/text.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace orch::protocol {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors travel in little-endian order");

struct Datatype {
  std::string_view name;
  std::size_t size;
  bool is_signed;
};

constexpr Datatype k_datatypes[] = {
    {"BOOL", 1, false},   {"UINT8", 1, false}, {"UINT16", 2, false}, {"UINT32", 4, false},
    {"UINT64", 8, false}, {"INT8", 1, true},   {"INT16", 2, true},   {"INT32", 4, true},
    {"INT64", 8, true},   {"FP16", 2, true},   {"BF16", 2, true},    {"FP32", 4, true},
    {"FP64", 8, true}};

const Datatype* find_datatype(std::string_view name) {
  const auto found = std::find_if(std::begin(k_datatypes), std::end(k_datatypes),
                                  [&](const Datatype& each) { return each.name == name; });
  return found == std::end(k_datatypes) ? nullptr : found;
}

template <class T> void append(T value, std::size_t size, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, size);
}

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// BITS shifted right by DROPPED bits of the fraction, rounded to nearest, ties to even.
std::uint32_t rounded(std::uint32_t bits, int dropped) {
  const std::uint32_t half = (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return (bits + half) >> dropped;
}

std::uint16_t half_of(double value) {
  const auto narrow = static_cast<float>(value);
  const std::uint32_t sign = bits_of(narrow) >> 16 & 0x8000;
  const std::uint32_t magnitude = bits_of(narrow) & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<std::uint16_t>(sign | 0x7E00);  // not a number
  if (magnitude >= 0x477FF000)
    return static_cast<std::uint16_t>(sign | 0x7C00);  // rounds to infinity
  // Subnormal numbers have a fixed scale; adding 0.5 aligns the fraction to it.
  if (magnitude < 0x38800000)
    return static_cast<std::uint16_t>(
        sign | (bits_of(std::bit_cast<float>(magnitude) + 0.5f) - bits_of(0.5f)));
  return static_cast<std::uint16_t>(sign | (rounded(magnitude, 13) - (112u << 10)));
}

std::uint16_t brain_half_of(double value) {
  const std::uint32_t bits = bits_of(static_cast<float>(value));
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>(rounded(bits, 16));
}

void append_real(std::string_view datatype, double value, std::string& out) {
  if (datatype == "FP64") append(value, sizeof value, out);
  else if (datatype == "FP16") append(half_of(value), 2, out);
  else if (datatype == "BF16") append(brain_half_of(value), 2, out);
  else append(static_cast<float>(value), sizeof(float), out);
}

}  // namespace

std::size_t raw_size(std::string_view datatype) {
  const Datatype* found = find_datatype(datatype);
  return found == nullptr ? 0 : found->size;
}

std::string raw_contents(const Tensor& tensor) {
  std::string out;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&tensor.values)) {
    for (const std::string& text : *texts) {
      append(static_cast<std::uint32_t>(text.size()), 4, out);
      out.append(text);
    }
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&tensor.values)) {
    const std::size_t size = raw_size(tensor.datatype);
    out.reserve(integers->size() * size);
    for (const std::int64_t value : *integers) append(value, size, out);
  } else {
    for (const double value : std::get<std::vector<double>>(tensor.values))
      append_real(tensor.datatype, value, out);
  }
  return out;
}

std::optional<std::string_view> take_raw_text(std::string_view& raw) {
  std::uint32_t size = 0;
  if (raw.size() < sizeof size) return {};
  std::memcpy(&size, raw.data(), sizeof size);
  if (size > raw.size() - sizeof size) return {};
  const std::string_view text = raw.substr(sizeof size, size);
  raw.remove_prefix(sizeof size + size);
  return text;
}

std::optional<std::int64_t> raw_integer(std::string_view raw, std::string_view datatype,
                                        std::size_t index) {
  const Datatype* type = find_datatype(datatype);
  if (type == nullptr || raw.size() / type->size <= index) return {};
  std::uint64_t value = 0;
  std::memcpy(&value, raw.data() + index * type->size, type->size);
  const int unused = 64 - 8 * static_cast<int>(type->size);
  if (!type->is_signed) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// The value of a number of 2 bytes with 5 bits of exponent.
float of_half(std::uint64_t bits) {
  const auto sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const auto exponent = static_cast<std::uint32_t>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<std::uint32_t>(bits & 0x3FF);
  if (exponent == 0x1F) return float_of(sign | 0x7F800000 | fraction << 13);
  if (exponent > 0) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) / 16777216.0f;  // 2^-24 each
  return sign != 0 ? -small : small;
}

double real_of(std::string_view datatype, std::string_view bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  if (datatype == "FP64") return std::bit_cast<double>(bits);
  if (datatype == "FP16") return of_half(bits);
  if (datatype == "BF16") return float_of(static_cast<std::uint32_t>(bits) << 16);
  return float_of(static_cast<std::uint32_t>(bits));
}

void append_real_text(std::string_view datatype, double value, std::string& out) {
  if (!std::isfinite(value)) out += "null";
  else if (datatype == "FP64") fmt::format_to(std::back_inserter(out), "{}", value);
  else fmt::format_to(std::back_inserter(out), "{}", static_cast<float>(value));
}

}  // namespace

std::string raw_list(std::string_view raw, std::string_view datatype) {
  const std::size_t size = raw_size(datatype);
  if (size == 0) return json_quote(fmt::format("{} bytes of {}", raw.size(), datatype));
  const bool is_real = datatype.starts_with("FP") || datatype.starts_with("BF");
  std::string out = "[";
  for (std::size_t i = 0; i < raw.size() / size; ++i) {
    if (i > 0) out += ',';
    if (is_real) append_real_text(datatype, real_of(datatype, raw.substr(i * size, size)), out);
    else fmt::format_to(std::back_inserter(out), "{}", raw_integer(raw, datatype, i).value_or(0));
  }
  return out + "]";
}

}  // namespace orch::protocol
