#include "spec/render/fill_script.hpp"

#include "core/base/text.hpp"
#include "spec/render/model_keys.hpp"
#include "spec/render/string_template.hpp"

#include <array>
#include <map>

namespace orch::render {

namespace {

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

Result<FillScript> fill_script_of(std::string_view tag) {
  for (const auto& [name, version] : k_names)
    if (tag == name) return fill_script_of(version);
  ORCH_ASSIGN(const Release release, read_release(tag));
  const auto begins_by = [&](const FillScript& script) {
    return Release{script.major, script.minor} <= release;
  };
  if (release.major > 1 || !begins_by(k_scripts[0]))
    return invalid(fmt::format(
        "{} has no known fill_template.py; known are the releases 0.5 to 1.x", quoted(tag)));
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
          "{} is not key:value: it has {} colons, and the script of that release takes one",
          quoted(substitution), parts.size() - 1));
    if (script.keys_must_appear && text.find(parts[0]) == std::string::npos)
      return invalid(
          fmt::format("the key {} does not occur in {}, which the script of that release refuses",
                      quoted(parts[0]), call.file));
    values[parts[0]] = parts[1];
  }
  return substitute(text, [&](const Placeholder& placeholder) -> std::optional<std::string> {
    const auto value = values.find(placeholder.name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
}

}  // namespace orch::render
