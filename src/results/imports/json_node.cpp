#include "results/imports/json_node.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::imports {

namespace {

using nlohmann::json;

// JsonValue is the library's type under a name that headers can use.
const JsonValue* opaque(const json& value) { return reinterpret_cast<const JsonValue*>(&value); }
const json& plain(const JsonValue* value) { return *reinterpret_cast<const json*>(value); }

constexpr int k_depth = 64;

// Marks a number that JSON cannot express, such as NaN, in the text to be parsed: it becomes a
// string that begins with this character, which no tool's text contains.
constexpr char k_mark = '\x01';
constexpr std::string_view k_mark_in_json = "\\u0001";
constexpr std::string_view k_constants[] = {"NaN", "Infinity", "-Infinity"};

// TEXT with marked strings in place of Python's constants outside strings.
std::string with_marked_constants(std::string_view text) {
  std::string marked;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const std::string_view* constant = nullptr;
    if (!in_string && (c == 'N' || c == 'I' || c == '-'))
      for (const std::string_view& one : k_constants)
        if (text.substr(at).starts_with(one)) constant = &one;
    if (constant != nullptr) {
      marked += fmt::format("\"{}{}\"", k_mark_in_json, *constant);
      at += constant->size() - 1;
      continue;
    }
    marked += c;
    if (c == '"') in_string = !in_string;
    else if (c == '\\' && in_string && at + 1 < text.size()) marked += text[++at];
  }
  return marked;
}

bool has_constants(std::string_view text) {
  return text.find("NaN") != std::string_view::npos ||
         text.find("Infinity") != std::string_view::npos;
}

void unmark(json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr || text->empty() || text->front() != k_mark) return;
  const std::string_view constant = std::string_view(*text).substr(1);
  if (constant == "NaN") value = std::nan("");
  else if (constant == "Infinity") value = HUGE_VAL;
  else if (constant == "-Infinity") value = -HUGE_VAL;
}

bool is_finite(const json& value) { return std::isfinite(value.get<double>()); }

// The checks beyond the grammar that a parser callback makes.
struct Watch {
  std::vector<std::set<std::string>> keys;  // keys of the open objects
  std::string fault;

  bool take(int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (depth > k_depth) fault = fmt::format("nested deeper than {}", k_depth);
    if (event == Event::value) unmark(parsed);
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
  std::string marked;
  if (has_constants(text)) text = marked = with_marked_constants(text);
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
    return invalid(
        fmt::format("{}:{}: {}; export the file again with the tool that made it", name,
                    line + line_at(text, error.byte),
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

void Fault::leave_out(std::string_view field, std::string_view value) {
  constexpr std::size_t k_most = 10;
  std::string words = fmt::format("{} is {}: left out", printable_line(field), value);
  if (left_out_.size() == k_most) words = "further values are NaN or infinite: left out";
  if (left_out_.size() <= k_most && std::ranges::find(left_out_, words) == left_out_.end())
    left_out_.push_back(std::move(words));
}

bool Node::is_object() const { return value_ && plain(value_).is_object(); }
bool Node::is_list() const { return value_ && plain(value_).is_array(); }
bool Node::is_number() const {
  return value_ && plain(value_).is_number() && is_finite(plain(value_));
}
bool Node::is_infinite() const {
  return value_ && plain(value_).is_number_float() && std::isinf(plain(value_).get<double>());
}
bool Node::is_flag() const { return value_ && plain(value_).is_boolean(); }
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
  if (!is_finite(plain(value_))) {
    fault_->leave_out(path_, shown());
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
    if (!std::isfinite(real)) {
      fault_->leave_out(path_, shown());
      return std::nullopt;
    }
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
  if (plain(value_).is_number() && !is_finite(plain(value_)))
    return !is_infinite() ? "NaN" : plain(value_).get<double>() > 0 ? "Infinity" : "-Infinity";
  return plain(value_).is_string() ? plain(value_).get<std::string>() : dump(plain(value_));
}

}  // namespace orch::imports
