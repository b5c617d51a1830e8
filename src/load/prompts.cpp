#include "load/prompts.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace orch::load {
namespace {

struct Line {
  Prompt prompt;
  bool warmup = false;
  int block = 0;
};

Result<Line> parse_line(std::string_view text, Location where) {
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
