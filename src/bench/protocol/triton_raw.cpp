#include "bench/protocol/triton_raw.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

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
  const auto found =
      std::ranges::find_if(k_datatypes, [&](const Datatype& each) { return each.name == name; });
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

double real_of_half(std::uint64_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  if (exponent == 0x1F) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double real_of(std::string_view datatype, std::uint64_t bits) {
  if (datatype == "FP16") return real_of_half(bits & 0xFFFF);
  if (datatype == "FP64") return std::bit_cast<double>(bits);
  const auto narrow = static_cast<std::uint32_t>(datatype == "BF16" ? bits << 16 : bits);
  return static_cast<double>(std::bit_cast<float>(narrow));
}

// As many digits as tell the number from its neighbours of the same width.
std::string raw_real(std::string_view datatype, std::uint64_t bits) {
  const double value = real_of(datatype, bits);
  if (!std::isfinite(value)) return "null";
  return datatype == "FP64" ? fmt::format("{}", value)
                            : fmt::format("{}", static_cast<float>(value));
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
  } else if (const auto* raw = std::get_if<RawNumbers>(&tensor.values)) {
    out = raw->bytes;
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

std::string raw_json(std::string_view raw, std::string_view datatype, std::size_t index) {
  const auto value = raw_integer(raw, datatype, index);
  if (!value) return "null";
  if (datatype.starts_with("FP") || datatype == "BF16")
    return raw_real(datatype, static_cast<std::uint64_t>(*value));
  if (datatype == "BOOL") return *value != 0 ? "true" : "false";
  return datatype == "UINT64" ? fmt::format("{}", static_cast<std::uint64_t>(*value))
                              : fmt::format("{}", *value);
}

std::string raw_list(std::string_view raw, std::string_view datatype) {
  const std::size_t size = raw_size(datatype);
  if (size == 0) return json_quote(fmt::format("{} bytes of {}", raw.size(), datatype));
  std::string out = "[";
  for (std::size_t i = 0; i < raw.size() / size; ++i)
    out.append(i > 0 ? "," : "").append(raw_json(raw, datatype, i));
  return out + "]";
}

}  // namespace orch::protocol
