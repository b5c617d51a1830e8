// The forms of rows in prompt files, and how each is read. All rows of a file have the form of its
// first row. Changing the meaning of a form requires raising plan::Options::rows_version, so that
// stages with a dataset run again.
#pragma once

#include "bench/prompt/prompts.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::prompt {

struct PromptRow {
  Prompt prompt;
  // The requested length, if the prompt could not be made exactly that long.
  std::optional<std::int64_t> isl_asked = {};
  // By how many tokens the shared prefix is shorter than requested.
  std::optional<std::int64_t> unshared = {};
  // How many conversations of the source file were left out for lack of a prompt.
  std::optional<std::int64_t> left_out = {};
  bool is_prompt = true;           // false: a conversation without a human turn
  bool has_further_turns = false;  // a conversation whose later questions are not sent
  bool has_model = false;  // a complete request, whose model and stream are replaced by the run's
  std::optional<std::string> answer = {};    // recorded; its tokens are not counted here
  std::vector<std::string> references = {};  // right answers: "output", else `answer`
  std::optional<double> timestamp_ms = {};   // as written; only if the unit is milliseconds
  bool warmup = false;
  std::int64_t block = 0;
};

// The members of one row: unescaped keys, raw values.
class RowMembers {
 public:
  // False if TEXT is not exactly one JSON object. Keeps views into TEXT, which must outlive this
  // object.
  bool read(std::string_view text);
  // Unwraps the values of perf_analyzer's input files, which are lists of one, or
  // {"content", "shape"}.
  void unwrap();
  // The raw value of the last member KEY; empty if it is absent or null.
  std::string_view find(std::string_view key) const;
  // "'prompt_text', 'id'", for messages; at most ten.
  std::string keys() const;
  std::vector<std::string> list() const;
  const std::vector<std::pair<std::string, std::string_view>>& all() const { return members_; }

 private:
  std::vector<std::pair<std::string, std::string_view>> members_;
};

struct PromptForm {
  std::string_view member;   // identifies the form: the first in the table that the row has
  std::string_view family;   // all rows of a file are of one family
  std::string_view example;  // "" if another form of the family has one
  // Reads the form's own members; KEY is `member`.
  Status (*read)(std::string_view key, const RowMembers& members, PromptRow& row);
};

std::span<const PromptForm> prompt_forms();
// Null if the row has no known form.
const PromptForm* form_of(const RowMembers& members);
// Reads the members common to all forms, then those of FORM. Errors do not name the file.
Status read_row(const PromptForm& form, const RowMembers& members, PromptRow& row);

// Reads a prompt file row by row: JSON objects, one per line, all in one array, or in the array
// "data" of perf_analyzer's input files, in any of the forms above. Writes them as rows of the
// project's own form. Opens no file and counts no tokens.

inline constexpr std::uint64_t k_largest_prompt_file = 2ull << 30;  // bytes

// LINE: the line of the file on which the row begins, from 1.
using OnRow = std::function<void(PromptRow row, int line)>;

// Calls ON_ROW for each row of TEXT, in file order. NAME is the file's name in errors. Returns the
// number of conversations left out because they have no human turn with text.
Result<std::int64_t> read_rows(std::string_view text, std::string_view name, const OnRow& on_row);

// The rows of TEXT for a program that counts tokens, one JSON object per line: the members of a
// prompt file in the project's own form, `input_length` if a row has a length but no text, `answer`
// (the recorded answer, if ANSWERS keeps it), `line`, and in the first row `left_out`. Request
// fields are not part of that form: those of each row go to FIELDS; without FIELDS, a row that has
// some is an error.
enum class Answers { kept, left_out };
Result<std::string> plain_rows(std::string_view text, std::string_view name,
                               Answers answers = Answers::kept,
                               std::vector<std::string>* fields = nullptr);

}  // namespace orch::prompt
