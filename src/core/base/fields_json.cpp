#include "core/base/fields_json.hpp"

#include "core/base/json_scan.hpp"

#include <nlohmann/json.hpp>

namespace orch {

namespace {

using nlohmann::json;

constexpr int k_depth = 64;

std::string characters(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) text += c;
    else text += {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  return text;
}

std::string from_characters(const std::string& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80 || i + 1 == text.size()) bytes += text[i];
    else
      bytes +=
          static_cast<char>(((lead & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
  }
  return bytes;
}

class Writer {
 public:
  explicit Writer(Texting texting) : texting_(texting) {}

  json operator()(std::monostate) const { return nullptr; }
  json operator()(bool value) const { return value; }
  json operator()(std::int64_t value) const { return value; }
  json operator()(double value) const { return value; }
  json operator()(const std::string& text) const { return text_of(text); }
  json operator()(const Gaps& gaps) const { return gaps; }
  json operator()(const Texts& texts) const {
    json out = json::array();
    for (const std::string& text : texts) out.push_back(text_of(text));
    return out;
  }
  json operator()(const Shares& shares) const {
    json out = json::object();
    for (const auto& [name, share] : shares) out[text_of(name)] = share;
    return out;
  }
  json operator()(const List& list) const {
    json out = json::array();
    for (const Value& value : list) out.push_back(std::visit(*this, value.any()));
    return out;
  }
  json operator()(const Object& object) const {
    json out = json::object();
    for (const auto& [name, value] : object) out[text_of(name)] = std::visit(*this, value.any());
    return out;
  }

 private:
  std::string text_of(const std::string& text) const {
    return texting_ == Texting::bytes ? characters(text) : text;
  }

  Texting texting_;
};

Value value_in(const json& from, Texting texting) {
  const auto text_of = [texting](const std::string& text) {
    return texting == Texting::bytes ? from_characters(text) : text;
  };
  switch (from.type()) {
    case json::value_t::boolean: return from.get<bool>();
    case json::value_t::number_unsigned:
      if (from.get<std::uint64_t>() > INT64_MAX) return from.get<double>();
      return from.get<std::int64_t>();
    case json::value_t::number_integer: return from.get<std::int64_t>();
    case json::value_t::number_float: return from.get<double>();
    case json::value_t::string: return text_of(from.get_ref<const std::string&>());
    case json::value_t::array: {
      List list;
      list.reserve(from.size());
      for (const json& item : from) list.push_back(value_in(item, texting));
      return list;
    }
    case json::value_t::object: {
      Object object;
      object.reserve(from.size());
      for (const auto& [name, item] : from.items())
        object.emplace_back(text_of(name), value_in(item, texting));
      return object;
    }
    default: return {};
  }
}

}  // namespace

std::string json_text(const Value& value, Texting texting, int indent) {
  return dump(std::visit(Writer(texting), value.any()), indent);
}

std::string tagged_text(std::string_view kind, Object object) {
  return json_text(Object{{std::string(kind), std::move(object)}});
}

Result<const Value*> tagged_as(const Value& tagged, std::string_view kind) {
  const auto* object = std::get_if<Object>(&tagged);
  const Value* said = object ? member_of(*object, kind) : nullptr;
  if (!said) return invalid(fmt::format("it has no member '{}'", kind));
  return said;
}

Result<Value> parse_value(std::string_view text, Texting texting) {
  const json parsed = parse_shallow<json>(text, k_depth).value;
  if (parsed.is_discarded()) return invalid("it is not JSON");
  return value_in(parsed, texting);
}

}  // namespace orch
