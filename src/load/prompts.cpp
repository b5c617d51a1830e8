#include "load/prompts.hpp"

#include "base/text.hpp"
#include "load/json_scan.hpp"
#include "load/prompt_forms.hpp"

namespace orch::load {
namespace {

constexpr std::size_t k_longest_row = 16 << 20;

std::string all_forms() {
  std::string text;
  for (const PromptForm& form : prompt_forms())
    if (!form.example.empty()) text += fmt::format("{}{}", text.empty() ? "" : " or ", form.example);
  return text;
}

// Why a text that is no object is none, as near as it can be told.
std::string not_an_object(std::string_view row) {
  return fmt::format("{} is no complete JSON object; write one prompt a line, or all in one array: {}", row.empty() ? "the row" : quoted(row), prompt_forms().front().example);
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, int block) : text_(text), name_(name), block_(block) {}

  Result<PromptSet> read() {
    constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(k_byte_order_mark)) text_.remove_prefix(k_byte_order_mark.size());
    if (const std::size_t bad = find_not_utf8(text_); bad != std::string_view::npos) return at(bad, "a byte that is not UTF-8; save the file as UTF-8");
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos) return at(nul, "a NUL byte, which no JSON has; save the file as UTF-8");
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return invalid("there are no prompts in it", {.file = std::string(name_)});
    ORCH_TRY(text_[first] == '[' ? read_array() : read_lines());
    if (left_out_ > 0 && kept_ == 0) return invalid(fmt::format("there are no prompts in it: none of its conversations ({}) has a turn from \"human\"", left_out_), {.file = std::string(name_)});
    if (left_out_ > 0) set_.notices.push_back(fmt::format("conversations that were left out because they have no turn from \"human\": {}", left_out_));
    if (inexact_ > 0)
      set_.notices.push_back(fmt::format("{} of {} prompts could not be made exactly as long as asked; 'isl' says how long they are", inexact_, set_.warmup.size() + set_.measured.size()));
    return std::move(set_);
  }

 private:
  Location here() const { return {.file = std::string(name_), .line = line_, .column = 0}; }

  Error at(std::size_t offset, std::string_view what) {
    pass(text_.substr(0, offset));
    return invalid(fmt::format("this line has {}", what), here());
  }

  void pass(std::string_view text) { line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

  Status read_lines() {
    for (std::string_view rest = text_; !rest.empty(); ++line_) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view row = trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!row.empty()) ORCH_TRY(read_row_of_file(row));
    }
    return {};
  }

  Status read_array() {
    const std::size_t opening = text_.find('[');
    pass(text_.substr(0, opening));
    const std::string_view array = text_.substr(opening);
    JsonWalk rows(array);
    std::size_t passed = 0;
    while (rows.next()) {
      const auto begin = static_cast<std::size_t>(rows.value().data() - array.data());
      pass(array.substr(passed, begin - passed));
      ++item_;
      ORCH_TRY(read_row_of_file(rows.value()));
      pass(rows.value());
      passed = begin + rows.value().size();
    }
    if (rows.complete()) return item_ > 0 ? Status() : invalid("there are no prompts in it", {.file = std::string(name_)});
    pass(array.substr(passed));
    return invalid(fmt::format("the array of prompts is no JSON behind its item {}: a comma or its end is missing, or the file was cut short", item_), here());
  }

  Status read_row_of_file(std::string_view text) {
    const Status status = read_one(text);
    if (status.ok()) return {};
    Error error = status.error();
    error.where = here();
    return item_ > 0 ? error.within(fmt::format("item {}", item_)) : error;
  }

  Status read_one(std::string_view text) {
    if (text.size() > k_longest_row) return invalid(fmt::format("this row has {}, and a prompt has at most {}", human_bytes(text.size()), human_bytes(k_longest_row)));
    if (!members_.read(text)) return invalid(not_an_object(text));
    const PromptForm* form = form_of(members_);
    if (form_ == nullptr) form_ = form;
    if (form_ == nullptr) return invalid(fmt::format("this is no prompt, it has {}{}; write {}", members_.keys(), suggestion(), all_forms()));
    if (form == nullptr || form->family != form_->family)
      return invalid(fmt::format("this row has {}, and '{}' is what the first row has: all rows of a file have one form", members_.keys(), form_->member));
    PromptRow row;
    ORCH_TRY(read_row(*form, members_, row));
    left_out_ += row.left_out.value_or(0) + !row.is_prompt;
    if (!row.is_prompt) return {};
    ++kept_;
    if (row.block != block_) return {};
    if (row.isl_asked && row.isl_asked != row.prompt.isl) ++inexact_;
    (row.warmup ? set_.warmup : set_.measured).push_back(std::move(row.prompt));
    return {};
  }

  std::string suggestion() const {
    std::vector<std::string> known;
    for (const PromptForm& form : prompt_forms()) known.emplace_back(form.member);
    for (const std::string& key : members_.list())
      if (const std::string near = did_you_mean(key, known); !near.empty()) return near;
    return "";
  }

  std::string_view text_;
  std::string_view name_;
  int block_;
  int line_ = 1;
  std::size_t item_ = 0;  // of an array, from 1
  std::size_t inexact_ = 0;
  std::int64_t left_out_ = 0;
  std::int64_t kept_ = 0;
  const PromptForm* form_ = nullptr;  // of the file
  RowMembers members_;
  PromptSet set_;
};

}  // namespace

Result<PromptSet> parse_prompts(std::string_view text, std::string_view name, int block) { return Reader(text, name, block).read(); }

}  // namespace orch::load
