// What right answers are: the member `output` of the rows of a dataset, found by the prompt that
// was sent. Opens no file, and scores nothing.
#pragma once

#include "core/base/result.hpp"
#include "bench/prompt/prompts.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::score {

// What tells PROMPT from others: its text, or its token ids where it has none.
std::string prompt_key(const prompt::Prompt& prompt);

class References {
 public:
  // TEXT: a file of prompts in any form (bench/prompt/prompt_forms.hpp) whose rows have `output`: a
  // text, a number, or a list of them, any of which is right. Or rows {"idx": N, "output": ...}, of
  // the request with that index. Rows without `output` are counted. NAME: of the file, in errors.
  static Result<References> read(std::string_view text, std::string_view name);

  // Null when there is none.
  const std::vector<std::string>* find(const std::string& prompt_key, std::int64_t idx) const;

  // Whether the rows name requests by their index, which means something for one set of prompts.
  bool by_index() const { return !by_index_.empty(); }
  std::int64_t rows_without() const { return rows_without_; }

 private:
  Status read_indexed(std::string_view text, std::string_view name);

  std::map<std::string, std::vector<std::string>> by_prompt_;
  std::map<std::int64_t, std::vector<std::string>> by_index_;
  std::int64_t rows_without_ = 0;
};

}  // namespace orch::score
