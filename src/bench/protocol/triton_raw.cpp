#include "bench/protocol/triton_value.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace orch::protocol {

namespace {

constexpr std::string_view k_magic = "\x93NUMPY";
constexpr std::size_t k_most_axes = 8;

struct Descriptor {
  std::string_view descr, datatype;
};

// NumPy has no bfloat16: libraries that support it write it as two opaque bytes.
constexpr Descriptor k_descriptors[] = {
    {"<f2", "FP16"},   {"<f4", "FP32"},   {"<f8", "FP64"},   {"<V2", "BF16"},  {"|V2", "BF16"},
    {"|i1", "INT8"},   {"<i2", "INT16"},  {"<i4", "INT32"},  {"<i8", "INT64"}, {"|u1", "UINT8"},
    {"<u2", "UINT16"}, {"<u4", "UINT32"}, {"<u8", "UINT64"}, {"|b1", "BOOL"}};

// The dictionary of a header: {'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  struct Header {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
  };

  // nullopt: the text is not such a dictionary.
  std::optional<Header> read() {
    Header header;
    if (!take("{")) return {};
    while (!take("}")) {
      const std::optional<std::string> key = quoted_text();
      if (!key || !take(":") || !read_value(*key, header)) return {};
      if (!take(",") && !peek("}")) return {};
    }
    skip_blanks();
    if (!rest_.empty() || !header.descr || !header.fortran_order || !header.shape) return {};
    return header;
  }

 private:
  bool read_value(const std::string& key, Header& header) {
    if (key == "descr") return (header.descr = quoted_text()).has_value();
    if (key == "fortran_order") return (header.fortran_order = truth()).has_value();
    if (key == "shape") return (header.shape = tuple()).has_value();
    return false;
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  bool peek(std::string_view word) {
    skip_blanks();
    return rest_.starts_with(word);
  }
  bool take(std::string_view word) {
    if (!peek(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> quoted_text() {
    const bool doubled = peek("\"");
    if (!take(doubled ? "\"" : "'")) return {};
    const std::size_t end = rest_.find(doubled ? '"' : '\'');
    if (end == std::string_view::npos) return {};
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<bool> truth() {
    if (take("True")) return true;
    if (take("False")) return false;
    return {};
  }

  std::optional<std::vector<std::int64_t>> tuple() {
    std::vector<std::int64_t> out;
    if (!take("(")) return {};
    while (!take(")")) {
      skip_blanks();
      const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const auto size = to_integer(rest_.substr(0, digits));
      if (!size || out.size() == k_most_axes) return {};
      out.push_back(*size);
      rest_.remove_prefix(digits);
      if (!take(",") && !peek(")")) return {};
    }
    return out;
  }

  std::string_view rest_;
};

Error faulty(const std::string& file, std::string_view why) {
  return invalid(fmt::format("{}: {}", file, why));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Splits TEXT into header and contents. nullopt if it is not a file of this format.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text) {
  constexpr std::size_t k_version_bytes = 2;
  if (!text.starts_with(k_magic) || text.size() < k_magic.size() + k_version_bytes) return {};
  const int major = text[k_magic.size()];
  if (major < 1 || major > 3) return {};
  text.remove_prefix(k_magic.size() + k_version_bytes);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (text.size() < length_bytes) return {};
  const std::uint64_t length = little_endian(text.substr(0, length_bytes));
  text.remove_prefix(length_bytes);
  if (length > text.size()) return {};
  return std::pair(text.substr(0, length), text.substr(length));
}

// The bytes of an array of SHAPE; nullopt: more than memory could hold.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, std::size_t size) {
  constexpr std::uint64_t k_most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = size;
  for (const std::int64_t dimension : shape) {
    const auto factor = static_cast<std::uint64_t>(dimension);
    if (factor != 0 && bytes > k_most / factor) return {};
    bytes *= factor;
  }
  return bytes;
}

static_assert(std::endian::native == std::endian::little, "tensors travel in little-endian order");

constexpr Datatype k_datatypes[] = {
    {"BOOL", 1, false},   {"UINT8", 1, false}, {"UINT16", 2, false}, {"UINT32", 4, false},
    {"UINT64", 8, false}, {"INT8", 1, true},   {"INT16", 2, true},   {"INT32", 4, true},
    {"INT64", 8, true},   {"FP16", 2, true},   {"BF16", 2, true},    {"FP32", 4, true},
    {"FP64", 8, true}};

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

// Enough digits to distinguish the number from its neighbours of the same width.
std::string raw_real(std::string_view datatype, std::uint64_t bits) {
  const double value = real_of(datatype, bits);
  if (!std::isfinite(value)) return "null";
  return datatype == "FP64" ? fmt::format("{}", value)
                            : fmt::format("{}", static_cast<float>(value));
}

}  // namespace

Result<NpyArray> read_npy(std::string_view text, const std::string& file) {
  const auto parts = split(text);
  const auto header = parts ? HeaderReader(parts->first).read() : std::nullopt;
  if (!header)
    return faulty(file,
                  "it is not a NumPy file (.npy); write it with numpy.save, as "
                  "hf_lora_convert.py does");
  if (*header->fortran_order)
    return faulty(file, "its array is in Fortran order; save numpy.ascontiguousarray(array)");
  const auto descriptor = std::ranges::find(k_descriptors, *header->descr, &Descriptor::descr);
  if (descriptor == std::end(k_descriptors))
    return faulty(file, fmt::format("its type {} cannot be sent to Triton; save a little-endian "
                                    "array of numbers, such as '<f2'",
                                    quoted(*header->descr)));
  const auto bytes = bytes_of(*header->shape, raw_size(descriptor->datatype));
  if (!bytes || *bytes != parts->second.size())
    return faulty(
        file, fmt::format("it has {} bytes of contents, but its shape {} of {} needs {}; "
                          "write it again",
                          parts->second.size(), shape_text(*header->shape), descriptor->datatype,
                          bytes ? std::to_string(*bytes) : "more than memory holds"));
  return NpyArray{.file = file,
                  .datatype = std::string(descriptor->datatype),
                  .shape = *header->shape,
                  .contents = std::string(parts->second)};
}

Result<Tensor> array_tensor(const ModelTensor& input, const NpyArray& array, std::int64_t batch) {
  std::vector<std::int64_t> shape = array.shape;
  while (shape.size() > input.dims.size() && shape.front() == 1) shape.erase(shape.begin());
  if (array.datatype != input.datatype)
    return faulty(
        array.file,
        fmt::format(
            "it holds {}, but the model's input {} is {}; save it as {}{}", array.datatype,
            input.name, input.datatype, input.datatype,
            input.datatype == "FP16" ? " (hf_lora_convert.py --storage-type float16)" : ""));
  if (!fits_dims(shape, input.dims) || array.contents.empty())
    return faulty(array.file,
                  fmt::format("its shape {} does not fit the model's input {} {}",
                              shape_text(array.shape), input.name, shape_text(input.dims)));
  return repeated({.name = input.name,
                   .datatype = input.datatype,
                   .shape = std::move(shape),
                   .values = RawNumbers{array.contents}},
                  batch);
}

const Datatype* find_datatype(std::string_view datatype) {
  const auto found = std::ranges::find(k_datatypes, datatype, &Datatype::name);
  return found == std::end(k_datatypes) ? nullptr : found;
}

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
