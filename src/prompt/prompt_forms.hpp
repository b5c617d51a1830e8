// The forms in which files write down a prompt, and what is read of each. One file has one form,
// that of its first row. Knows rows; nothing of files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "prompt/prompts.hpp"

namespace orch::prompt {

struct PromptRow {
  Prompt prompt;
  std::optional<std::int64_t> isl_asked = {};  // its maker could not make it that long
  std::optional<std::int64_t> unshared =
      {};  // by so many tokens its maker could not make its shared beginning as long as asked
  std::optional<std::int64_t> left_out = {};  // conversations that its maker found no prompt in
  bool is_prompt = true;                      // false: a conversation in which nobody asks
  std::optional<std::string> answer = {};     // recorded; its tokens are not counted here
  std::optional<double> timestamp_ms = {};    // as written, where milliseconds are
  bool warmup = false;
  std::int64_t block = 0;
};

// The members of one row: keys without escapes, values raw.
class RowMembers {
 public:
  // False: TEXT is no JSON object from end to end. Its bytes must stay.
  bool read(std::string_view text);
  // Takes values out of what perf_analyzer's input files wrap them in: lists of one, and
  // {"content", "shape"}.
  void unwrap();
  // Raw, the last of several; empty text: there is no such member, or it is null.
  std::string_view find(std::string_view key) const;
  // "'prompt_text', 'id'", for messages; at most ten.
  std::string keys() const;
  std::vector<std::string> list() const;

 private:
  std::vector<std::pair<std::string, std::string_view>> members_;
};

struct PromptForm {
  std::string_view member;   // decides: the first row of the table whose member a row has
  std::string_view family;   // rows of one file are of one family
  std::string_view example;  // "" where another row of the family shows it
  Status (*read)(const RowMembers& members, PromptRow& row);
};

std::span<const PromptForm> prompt_forms();
// Null: it has none.
const PromptForm* form_of(const RowMembers& members);
// Reads what is the same in all forms, then what FORM says. Errors are about the row alone.
Status read_row(const PromptForm& form, const RowMembers& members, PromptRow& row);

}  // namespace orch::prompt
