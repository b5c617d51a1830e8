#include "toolfile/json_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace orch::toolfile {

namespace {

using nlohmann::json;

// JsonValue is the library's type under a name that headers may use.
const JsonValue* opaque(const json& value) { return reinterpret_cast<const JsonValue*>(&value); }
const json& plain(const JsonValue* value) { return *reinterpret_cast<const json*>(value); }

constexpr int k_depth = 64;

// What a parser's callback can see beyond the grammar.
struct Watch {
  std::vector<std::set<std::string>> keys;  // of the open objects
  std::string fault;

  bool take(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (depth > k_depth) fault = fmt::format("nested deeper than {}", k_depth);
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end && !keys.empty()) keys.pop_back();
    if (event == Event::key && !keys.empty() &&
        !keys.back().insert(parsed.get<std::string>()).second)
      fault =
          fmt::format("the key {} occurs twice in one object", quoted(parsed.get<std::string>()));
    return fault.empty();
  }
};

int line_at(std::string_view text, std::size_t byte) {
  return static_cast<int>(
      std::count(text.begin(), text.begin() + std::min(byte, text.size()), '\n'));
}

}  // namespace

Result<Document> Document::parse(std::string_view name, std::string_view text, int line) {
  Watch watch;
  try {
    json value = json::parse(text, [&](int depth, json::parse_event_t event, json& parsed) {
      return watch.take(depth, event, parsed);
    });
    if (!watch.fault.empty())
      return invalid(fmt::format("{}: {}; export the file again with the tool that made it", name,
                                 watch.fault));
    const auto owner = std::make_shared<const json>(std::move(value));
    return Document(std::shared_ptr<const JsonValue>(owner, opaque(*owner)));
  } catch (const json::parse_error& error) {
    const bool is_cut = error.byte >= text.size();
    return invalid(fmt::format(
        "{}:{}: {}; export the file again with the tool that made it (JSON has no NaN and no "
        "Infinity)",
        name, line + line_at(text, error.byte),
        is_cut ? "the JSON ends too early: the file was cut off" : "this is not JSON"));
  } catch (const json::exception&) {
    return invalid(
        fmt::format("{}:{}: a number is out of range; correct it in the file", name, line));
  }
}

void Fault::add(std::string_view field, std::string_view value, std::string_view remedy) {
  constexpr std::size_t k_longest_field = 200;
  if (error_) return;
  error_ =
      invalid(fmt::format("{}: {} {}: {}", file_, printable_line(field.substr(0, k_longest_field)),
                          quoted(value), remedy));
}

bool Node::is_object() const { return value_ && plain(value_).is_object(); }
bool Node::is_list() const { return value_ && plain(value_).is_array(); }
bool Node::is_number() const { return value_ && plain(value_).is_number(); }
bool Node::is_text() const { return value_ && plain(value_).is_string(); }

Node Node::at(std::string_view key) const {
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  const JsonValue* value = nullptr;
  if (is_object()) {
    const auto found = plain(value_).find(key);
    if (found != plain(value_).end() && !found->is_null()) value = opaque(*found);
  }
  return {*fault_, value, path, std::string(key)};
}

std::vector<Node> Node::items() const {
  std::vector<Node> all;
  if (!value_) return all;
  if (!is_list()) {
    refuse("a list is needed here");
    return all;
  }
  const json& list = plain(value_);
  for (std::size_t i = 0; i < list.size(); ++i)
    all.emplace_back(*fault_, opaque(list[i]), fmt::format("{}[{}]", path_, i));
  return all;
}

std::vector<Node> Node::members() const {
  std::vector<Node> all;
  if (!value_) return all;
  if (!is_object()) {
    refuse("an object is needed here");
    return all;
  }
  for (const auto& [key, value] : plain(value_).items())
    if (!value.is_null())
      all.emplace_back(*fault_, opaque(value),
                       path_.empty() ? key : fmt::format("{}.{}", path_, key), key);
  return all;
}

std::optional<double> Node::number() const {
  if (!value_) return std::nullopt;
  if (!plain(value_).is_number()) {
    refuse("a number is needed here");
    return std::nullopt;
  }
  return plain(value_).get<double>();
}

std::optional<std::int64_t> Node::integer(std::int64_t least, std::int64_t most) const {
  if (!value_) return std::nullopt;
  std::optional<std::int64_t> whole;
  if (plain(value_).is_number_unsigned()) {
    if (const auto big = plain(value_).get<std::uint64_t>(); big <= INT64_MAX)
      whole = static_cast<std::int64_t>(big);
  } else if (plain(value_).is_number_integer()) {
    whole = plain(value_).get<std::int64_t>();
  } else if (plain(value_).is_number_float()) {
    const double real = plain(value_).get<double>();
    if (std::trunc(real) == real && std::abs(real) < 9e15) whole = static_cast<std::int64_t>(real);
  }
  if (whole && *whole >= least && *whole <= most) return whole;
  refuse(fmt::format("a whole number from {} to {} is needed here", least, most));
  return std::nullopt;
}

std::optional<std::string> Node::text() const {
  if (!value_) return std::nullopt;
  if (plain(value_).is_string()) return plain(value_).get<std::string>();
  refuse("a text is needed here");
  return std::nullopt;
}

std::optional<bool> Node::flag() const {
  if (!value_) return std::nullopt;
  if (plain(value_).is_boolean()) return plain(value_).get<bool>();
  refuse("true or false is needed here");
  return std::nullopt;
}

std::string Node::shown() const {
  if (!value_) return "";
  return plain(value_).is_string() ? plain(value_).get<std::string>() : dump(plain(value_));
}

}  // namespace orch::toolfile
