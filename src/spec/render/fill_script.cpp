#include "spec/render/fill_script.hpp"

#include "core/base/text.hpp"
#include "spec/render/model_keys.hpp"

#include <array>
#include <map>

namespace orch::render {

namespace {

bool is_first(char c) { return c == '_' || is_letter(c); }
bool continues_name(char c) { return c == '_' || is_letter_or_digit(c); }

std::size_t name_end(std::string_view text, std::size_t start) {
  if (start >= text.size() || !is_first(text[start])) return start;
  std::size_t end = start + 1;
  while (end < text.size() && continues_name(text[end])) ++end;
  return end;
}

// The placeholder whose '$' is TEXT[offset]; size 0 if there is none.
Placeholder placeholder_at(std::string_view text, std::size_t offset) {
  const bool braced = offset + 1 < text.size() && text[offset + 1] == '{';
  const std::size_t start = offset + (braced ? 2 : 1);
  const std::size_t end = name_end(text, start);
  if (end == start || (braced && (end == text.size() || text[end] != '}'))) return {};
  return {.name = std::string(text.substr(start, end - start)),
          .offset = offset,
          .size = end + (braced ? 1 : 0) - offset};
}

// The size of a name and its colon at the start of TEXT; 0 if there is none.
std::size_t key_size(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != text.npos && is_placeholder_name(text.substr(0, colon)) ? colon + 1 : 0;
}

// The size of the substitution at the start of TEXT, up to the comma that ends it.
std::size_t substitution_size(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == ',' && key_size(text.substr(i + 1))) return i;
  }
  return text.size();
}

std::string without_backslashes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

bool ends_in(std::string_view value, char c) {
  std::size_t backslashes = 0;
  while (backslashes + 1 < value.size() && value[value.size() - 2 - backslashes] == '\\')
    ++backslashes;
  return value.ends_with(c) && backslashes % 2 == 0;
}

// A comma, spaces, a name and a colon are probably meant as the next substitution.
std::string_view key_after_space(std::string_view value) {
  for (std::size_t comma = value.find(", "); comma != value.npos;
       comma = value.find(", ", comma + 1)) {
    const std::string_view rest = trim(value.substr(comma + 1));
    const std::size_t size = key_size(rest);
    if (size && ends_in(value.substr(0, comma + 1), ',')) return rest.substr(0, size);
  }
  return {};
}

class Reader {
 public:
  Reader(std::map<std::string, std::string>& values, Errors& errors)
      : values_(values), errors_(errors) {}

  void read(std::string_view argument) {
    if (argument.empty()) return wrong(argument, "is empty; write KEY:VALUE,KEY:VALUE");
    for (;;) {
      const std::size_t size = substitution_size(argument);
      add(argument.substr(0, size));
      if (size == argument.size()) return;
      argument.remove_prefix(size + 1);
    }
  }

 private:
  void add(std::string_view substitution) {
    const std::size_t colon = substitution.find(':');
    if (colon == substitution.npos) return wrong(substitution, "has no colon; write KEY:VALUE");
    const std::string key(substitution.substr(0, colon));
    if (!is_placeholder_name(key))
      return wrong(
          substitution,
          fmt::format(
              "begins with {}, which is not the name of a placeholder; use letters, digits and '_'",
              quoted(key)));
    const std::string_view value = substitution.substr(colon + 1);
    if (ends_in(value, ','))
      return wrong(substitution,
                   "ends in a comma; remove it, or write \\, if it belongs to the value");
    if (ends_in(value, '\\'))
      return wrong(substitution,
                   "ends in a backslash, which escapes the next character; write \\\\ for a "
                   "backslash");
    if (const std::string_view next = key_after_space(value); !next.empty())
      return wrong(
          substitution,
          fmt::format(
              "has a space before {}; remove it, or write '\\,' if the comma belongs to the value",
              quoted(next)));
    const auto [known, added] = values_.emplace(key, without_backslashes(value));
    if (!added && known->second != without_backslashes(value))
      wrong(substitution,
            fmt::format("is a second value of {}, which already has {}; keep one of them", key,
                        quoted(known->second)));
  }

  void wrong(std::string_view what, std::string_view why) {
    errors_.push_back(invalid(fmt::format("the substitution {} {}", quoted(what), why)));
  }

  std::map<std::string, std::string>& values_;
  Errors& errors_;
};

constexpr std::array<Preset, 1> k_queue_size = {{{"max_queue_size", "0"}}};
constexpr std::array<Preset, 2> k_queue_size_and_delay = {
    {{"max_queue_size", "0"}, {"max_queue_delay_microseconds", "0"}}};

// Each row is valid until the next one begins; the last covers all of 1.x.
constexpr FillScript k_scripts[] = {
    {.major = 0, .minor = 5, .presets = {}},
    {.major = 0, .minor = 12, .presets = k_queue_size},
    {.major = 0, .minor = 15, .participant_ids = true, .presets = k_queue_size},
    {.major = 0, .minor = 16, .escapes = true, .presets = k_queue_size},
    {.major = 0,
     .minor = 19,
     .escapes = true,
     .keys_must_appear = true,
     .presets = k_queue_size_and_delay},
};

// Tags of the backend that are not versions, and the release whose script they contain.
constexpr std::pair<std::string_view, std::string_view> k_names[] = {{"gemma", "0.8.0"},
                                                                     {"r24.08-beta", "0.11.0"}};

// Universal newlines: \r\n and \r alone are read as \n.
std::string with_newlines(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r') text += bytes[i];
    else if (i + 1 == bytes.size() || bytes[i + 1] != '\n') text += '\n';
  }
  return text;
}

std::vector<std::string> split_escaped(std::string_view text, char delimiter) {
  std::vector<std::string> parts(1);
  bool escaped = false;
  for (const char c : text) {
    if (!escaped && c == delimiter) parts.emplace_back();
    else if (!escaped && c == '\\') escaped = true;
    else {
      parts.back() += c;
      escaped = false;
    }
  }
  return parts;
}

}  // namespace

bool is_placeholder_name(std::string_view text) {
  return !text.empty() && name_end(text, 0) == text.size();
}

std::string substitute(std::string_view text, const PlaceholderLookup& lookup) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t dollar = std::min(text.find('$', i), text.size());
    out += text.substr(i, dollar - i);
    i = dollar;
    if (i == text.size()) break;
    if (const Placeholder placeholder = placeholder_at(text, i); placeholder.size) {
      const auto value = lookup(placeholder);
      out += value ? std::string_view(*value) : text.substr(i, placeholder.size);
      i += placeholder.size;
    } else {
      out += '$';
      i += text.substr(i).starts_with("$$") ? 2 : 1;
    }
  }
  return out;
}

std::vector<Placeholder> find_placeholders(std::string_view text) {
  std::vector<Placeholder> found;
  substitute(text, [&](const Placeholder& placeholder) {
    found.push_back(placeholder);
    return std::nullopt;
  });
  return found;
}

std::map<std::string, std::string> read_substitutions(std::span<const std::string> arguments,
                                                      Errors& errors) {
  std::map<std::string, std::string> values;
  Reader reader(values, errors);
  for (const std::string& argument : arguments) reader.read(argument);
  return values;
}

Result<FillScript> fill_script_of(std::string_view tag) {
  for (const auto& [name, version] : k_names)
    if (tag == name) return fill_script_of(version);
  ORCH_ASSIGN(const Release release, read_release(tag));
  const auto begins_by = [&](const FillScript& script) {
    return Release{script.major, script.minor} <= release;
  };
  if (release.major > 1 || !begins_by(k_scripts[0]))
    return invalid(fmt::format(
        "the fill_template.py of {} is unknown; releases 0.5 to 1.x are known", quoted(tag)));
  FillScript found;
  for (const FillScript& script : k_scripts)
    if (begins_by(script)) found = script;
  return found;
}

std::string from_argument(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t good = std::min(find_not_utf8(bytes), bytes.size());
    text += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    const unsigned code = 0xdc00u + static_cast<unsigned char>(bytes[0]);
    for (const unsigned byte :
         {0xe0u | code >> 12, 0x80u | (code >> 6 & 0x3fu), 0x80u | (code & 0x3fu)})
      text += static_cast<char>(byte);
    bytes.remove_prefix(1);
  }
  return text;
}

Result<std::string> to_output(std::string_view text, bool escaping) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t good = std::min(find_not_utf8(text), text.size());
    bytes += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    if (!escaping)
      return invalid("the substitutions are not UTF-8, and the script cannot write them");
    bytes += static_cast<char>((static_cast<unsigned char>(text[1]) & 0x03u) << 6 |
                               (static_cast<unsigned char>(text[2]) & 0x3fu));
    text.remove_prefix(3);
  }
  return bytes;
}

Result<std::string> run_fill_script(const FillScript& script, const FillScriptCall& call) {
  if (const std::size_t bad = find_not_utf8(call.template_bytes); bad != std::string_view::npos)
    return invalid(fmt::format("{} is not UTF-8 at byte {}", call.file, bad));
  const std::string text = with_newlines(call.template_bytes);
  std::map<std::string, std::string> values;
  for (const Preset& preset : script.presets) values.emplace(preset.key, preset.value);
  if (script.participant_ids) values["participant_ids"] = from_argument(call.participant_ids);
  const auto parts_of = script.escapes ? split_escaped : split;
  for (const std::string& substitution : parts_of(from_argument(call.substitutions), ',')) {
    const std::vector<std::string> parts = parts_of(substitution, ':');
    if (parts.size() != 2)
      return invalid(fmt::format(
          "{} is not key:value: it has {} colons, but the script of that release takes one",
          quoted(substitution), parts.size() - 1));
    if (script.keys_must_appear && text.find(parts[0]) == std::string::npos)
      return invalid(
          fmt::format("the key {} is not in {}, and the script of that release refuses such keys",
                      quoted(parts[0]), call.file));
    values[parts[0]] = parts[1];
  }
  return substitute(text, [&](const Placeholder& placeholder) -> std::optional<std::string> {
    const auto value = values.find(placeholder.name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
}

}  // namespace orch::render
