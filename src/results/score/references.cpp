#include "results/score/references.hpp"

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "bench/prompt/prompt_rows.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace orch::score {

namespace {

using nlohmann::json;

constexpr int k_row_depth = 8;

// The first line that is not empty.
std::string_view first_row(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// Whether ROW names a request and has no prompt.
bool is_indexed(std::string_view row) {
  const json object = parse_shallow<json>(row, k_row_depth).value;
  return object.is_object() && object.contains("idx") && object.contains("output") &&
         object.size() == 2;
}

std::vector<std::string> texts_of(const json& output) {
  std::vector<std::string> texts;
  for (const json& one : output.is_array() ? output : json::array({output})) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
    else if (one.is_number()) texts.push_back(one.dump());
  }
  return texts;
}

}  // namespace

std::string prompt_key(const prompt::Prompt& prompt) {
  if (!prompt.text_input.empty()) return "text " + prompt.text_input;
  return fmt::format("ids {}", fmt::join(prompt.ids, " "));
}

Result<References> References::read(std::string_view text, std::string_view name) {
  References out;
  if (is_indexed(first_row(text))) {
    ORCH_TRY(out.read_indexed(text, name));
    return out;
  }
  const auto take = [&](prompt::PromptRow row, int) {
    if (row.references.empty()) return static_cast<void>(++out.rows_without_);
    auto& all = out.by_prompt_[prompt_key(row.prompt)];
    for (std::string& one : row.references)
      if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  };
  ORCH_ASSIGN(const std::int64_t left_out, prompt::read_rows(text, name, take));
  static_cast<void>(left_out);
  if (out.by_prompt_.empty())
    return invalid(
        R"(no row has a reference; write what the right answer is as {"input": "...", "output": "..."})",
        {.file = std::string(name)});
  return out;
}

Status References::read_indexed(std::string_view text, std::string_view name) {
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const json row = parse_shallow<json>(line, k_row_depth).value;
    const auto idx = row.is_object() ? row.find("idx") : row.end();
    const auto output = row.is_object() ? row.find("output") : row.end();
    const Location here{.file = std::string(name), .line = number};
    if (idx == row.end() || !idx->is_number_integer() || output == row.end())
      return invalid(fmt::format(R"({} is not {{"idx": N, "output": "..."}})", quoted(line)), here);
    std::vector<std::string> texts = texts_of(*output);
    if (texts.empty()) {
      ++rows_without_;
      continue;
    }
    if (!by_index_.emplace(idx->get<std::int64_t>(), std::move(texts)).second)
      return invalid(
          fmt::format("idx {} is there twice; leave one of the rows out", idx->get<std::int64_t>()),
          here);
  }
  return {};
}

const std::vector<std::string>* References::find(const std::string& prompt_key,
                                                 std::int64_t idx) const {
  if (by_index()) {
    const auto found = by_index_.find(idx);
    return found == by_index_.end() ? nullptr : &found->second;
  }
  const auto found = by_prompt_.find(prompt_key);
  return found == by_prompt_.end() ? nullptr : &found->second;
}

}  // namespace orch::score
