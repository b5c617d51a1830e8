#include "load/prompts.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "load/json_scan.hpp"

namespace orch::load {
namespace {

struct Line {
  Prompt prompt;
  bool warmup = false;
  int block = 0;
};

// Prompt files are megabytes and stand between the start and the first request, so lines as they should be are read without
// a tree. Empty: not such a line; a full parser may still read it or say what is wrong.
std::optional<Line> read_plain_line(std::string_view text) {
  Line line;
  const auto text_input = json_member(text, "text_input");
  if (!is_json_object(text) || !text_input || !append_json_string(*text_input, line.prompt.text_input)) return {};
  if (const auto isl = json_member(text, "isl")) {
    line.prompt.isl = to_integer(*isl);
    if (!line.prompt.isl) return {};
  }
  if (const auto warmup = json_member(text, "warmup")) {
    if (*warmup != "true" && *warmup != "false") return {};
    line.warmup = *warmup == "true";
  }
  if (const auto block = json_member(text, "block")) {
    const auto number = to_integer(*block);
    if (!number) return {};
    line.block = static_cast<int>(*number);
  }
  return line;
}

Result<Line> parse_line(std::string_view text, Location where) {
  if (std::optional<Line> line = read_plain_line(text)) return std::move(*line);
  Line line;
  try {
    const nlohmann::json object = nlohmann::json::parse(text);
    line.prompt.text_input = object.at("text_input").get<std::string>();
    if (object.contains("isl")) line.prompt.isl = object["isl"].get<std::int64_t>();
    line.warmup = object.value("warmup", false);
    line.block = object.value("block", 0);
  } catch (const nlohmann::json::exception& error) {
    return invalid(fmt::format("this is not a prompt, write {{\"text_input\": \"...\", \"isl\": 32}}: {}", error.what()), std::move(where));
  }
  return line;
}

}  // namespace

Result<PromptSet> parse_prompts(std::string_view text, std::string_view name, int block) {
  PromptSet prompts;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (row.empty()) continue;
    ORCH_ASSIGN(Line line, parse_line(row, {.file = std::string(name), .line = number, .column = 0}));
    if (line.block != block) continue;
    (line.warmup ? prompts.warmup : prompts.measured).push_back(std::move(line.prompt));
  }
  return prompts;
}

}  // namespace orch::load
