#include "bench/prompt/prompt_forms.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

namespace orch::prompt {
namespace {

constexpr std::size_t k_longest_row = 16 << 20;
constexpr int k_deepest_row = 100;
constexpr std::string_view k_blanks = " \t\r\n";
constexpr std::string_view k_row_end = "}\n";

std::string all_forms() {
  std::string text;
  for (const PromptForm& form : prompt_forms())
    if (!form.example.empty())
      text += fmt::format("{}{}", text.empty() ? "" : " or ", form.example);
  return text;
}

std::string not_an_object(std::string_view row) {
  return fmt::format(
      "{} is not a complete JSON object; write one prompt per line, or all in one array: {}",
      row.empty() ? "the row" : quoted(row), prompt_forms().front().example);
}

// KEY may contain escapes.
bool is_data(std::string_view key) {
  std::string name;
  return append_json_string(fmt::format("\"{}\"", key), name) && name == "data";
}

// The array in the member "data" of the object at the start of TEXT, from its opening bracket; if
// the array is truncated, the part that is there. nullopt if there is no such array.
std::optional<std::string_view> data_of(std::string_view text) {
  JsonWalk members(text);
  while (members.next())
    if (is_data(members.key()))
      return members.value().starts_with('[') ? std::optional(members.value()) : std::nullopt;
  if (members.complete() || !is_data(members.key())) return {};
  const std::string_view rest =
      text.substr(static_cast<std::size_t>(members.key().end() - text.begin()));
  const std::size_t value = rest.find_first_not_of("\": \t\r\n");
  return value != std::string_view::npos && rest[value] == '[' ? std::optional(rest.substr(value))
                                                               : std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, const OnRow& on_row)
      : text_(text), name_(name), on_row_(on_row) {}

  Result<std::int64_t> read() {
    constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(k_byte_order_mark)) text_.remove_prefix(k_byte_order_mark.size());
    if (const std::size_t bad = find_not_utf8(text_); bad != std::string_view::npos)
      return at(bad, "a byte that is not UTF-8; save the file as UTF-8");
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos)
      return at(nul, "a NUL byte, which JSON does not allow; save the file as UTF-8");
    const std::size_t first = text_.find_first_not_of(k_blanks);
    if (first == std::string_view::npos)
      return invalid("the file has no prompts", {.file = std::string(name_)});
    ORCH_TRY(read_all(first));
    if (left_out_ > 0 && kept_ == 0)
      return invalid(
          fmt::format(
              "the file has no prompts: none of its conversations ({}) has a text from \"human\" "
              "or \"user\"",
              left_out_),
          {.file = std::string(name_)});
    return left_out_;
  }

 private:
  Location here() const { return {.file = std::string(name_), .line = line_, .column = 0}; }

  Error at(std::size_t offset, std::string_view fault) {
    count_lines(text_.substr(0, offset));
    return invalid(fmt::format("this line has {}", fault), here());
  }

  void count_lines(std::string_view text) {
    line_ += static_cast<int>(std::ranges::count(text, '\n'));
  }

  Status read_lines() {
    for (std::string_view rest = text_; !rest.empty(); ++line_) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t first = line.find_first_not_of(k_blanks);
      if (first != std::string_view::npos)
        ORCH_TRY(read_row_of_file(line.substr(first, line.find_last_not_of(k_blanks) + 1 - first)));
    }
    return {};
  }

  Status read_all(std::size_t first) {
    const std::optional<std::string_view> data = data_of(text_);
    if (!data && text_[first] != '[') return read_lines();
    wrapped_ = data.has_value();
    const std::string_view array = data.value_or(text_.substr(first));
    count_lines(text_.substr(0, static_cast<std::size_t>(array.begin() - text_.begin())));
    ORCH_TRY(read_array(array, data.has_value()));
    if (data) ORCH_TRY(check_around(array));
    return item_ > 0 ? Status() : invalid("the file has no prompts", {.file = std::string(name_)});
  }

  // Checks the other members of the object that contains DATA.
  Status check_around(std::string_view data) const {
    JsonWalk members(text_);
    while (members.next()) {
      const bool read = members.value().data() == data.data();
      if (!read && is_data(members.key()))
        return invalid("the file has 'data' twice; write one object with all prompts in its 'data'",
                       {.file = std::string(name_)});
      if (find_json_fault(fmt::format("\"{}\"", members.key()), 0) ||
          (!read && find_json_fault(members.value(), k_deepest_row)))
        break;
    }
    if (members.complete()) return {};
    return invalid(
        "the file is not valid JSON after 'data'; write one object with all prompts in its 'data' "
        "and nothing after it",
        {.file = std::string(name_)});
  }

  // NESTED: an item may be an array of rows.
  Status read_array(std::string_view array, bool nested) {
    JsonWalk rows(array);
    std::size_t passed = 0;
    while (rows.next()) {
      const auto begin = static_cast<std::size_t>(rows.value().data() - array.data());
      count_lines(array.substr(passed, begin - passed));
      passed = begin + rows.value().size();
      if (nested && rows.value().starts_with('[')) {
        ORCH_TRY(read_array(rows.value(), false));
        continue;
      }
      ++item_;
      ORCH_TRY(read_row_of_file(rows.value()));
      count_lines(rows.value());
    }
    if (rows.complete()) {
      count_lines(array.substr(passed));
      return {};
    }
    return end_of_array(array, passed, rows.offset());
  }

  // The error in the text after the item that ends at OFFSET. Lines are counted up to PASSED.
  Error end_of_array(std::string_view array, std::size_t passed, std::size_t offset) {
    const auto skip_blanks = [&] {
      offset = std::min(array.find_first_not_of(k_blanks, offset), array.size());
    };
    offset = std::max<std::size_t>(offset, 1);  // its bracket
    skip_blanks();
    const bool closed = array.substr(offset).starts_with(']');
    if (closed || array.substr(offset).starts_with(',')) {
      ++offset;
      skip_blanks();
    }
    count_lines(array.substr(passed, offset - passed));
    if (closed)
      return invalid("there is text after the array of prompts; write one array with all of them",
                     here());
    return invalid(fmt::format("the array of prompts is not valid JSON after its item {}: a comma "
                               "or the closing bracket is missing, or the file is truncated",
                               item_),
                   here());
  }

  Status read_row_of_file(std::string_view text) {
    const Status status = read_one(text);
    if (status.ok()) return {};
    Error error = status.error();
    error.where = here();
    return item_ > 0 ? error.within(fmt::format("item {}", item_)) : error;
  }

  Status read_one(std::string_view text) {
    if (text.size() > k_longest_row)
      return invalid(fmt::format("this row has {}, but a prompt may have at most {}",
                                 human_bytes(text.size()), human_bytes(k_longest_row)));
    if (!members_.read(text)) return invalid(not_an_object(text));
    if (const auto fault = find_json_fault(text, k_deepest_row)) {
      if (fault->too_deep)
        return invalid(fmt::format("this row is nested deeper than {} levels", k_deepest_row));
      return invalid(fmt::format("{} is not valid JSON at {}: {}", quoted(text),
                                 quoted(text.substr(fault->at)), fault->what));
    }
    if (wrapped_) members_.unwrap();
    const PromptForm* form = form_of(members_);
    if (form_ == nullptr) form_ = form;
    if (form_ == nullptr)
      return invalid(fmt::format("this is not a prompt: it has {}{}; write {}", members_.keys(),
                                 suggestion(), all_forms()));
    if (form == nullptr || form->family != form_->family)
      return invalid(fmt::format(
          "this row has {}, but the first row has '{}': all rows of a file must have the same form",
          members_.keys(), form_->member));
    PromptRow row;
    ORCH_TRY(read_row(*form, members_, row));
    left_out_ += row.left_out.value_or(0) + !row.is_prompt;
    if (!row.is_prompt) return {};
    ++kept_;
    on_row_(std::move(row), line_);
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
  const OnRow& on_row_;
  int line_ = 1;
  std::size_t item_ = 0;  // of an array, from 1
  std::int64_t left_out_ = 0;
  std::int64_t kept_ = 0;
  bool wrapped_ = false;              // perf_analyzer's input file
  const PromptForm* form_ = nullptr;  // of the file
  RowMembers members_;
};

// Writes the members of a JSON object that have a value.
class RowWriter {
 public:
  explicit RowWriter(std::string& out) : out_(out) {}

  void raw(std::string_view key, std::string_view value) {
    out_.append(first_ ? "{\"" : ",\"").append(key).append("\":").append(value);
    first_ = false;
  }
  void text(std::string_view key, std::string_view value) { raw(key, json_quote(value)); }
  template <class Number> void number(std::string_view key, const std::optional<Number>& value) {
    if (value) raw(key, fmt::format("{}", *value));
  }
  void end() { out_ += k_row_end; }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_plain(const PromptRow& row, int line, std::string& out) {
  const Prompt& prompt = row.prompt;
  const bool has_text = !prompt.text_input.empty() || !prompt.ids.empty();
  RowWriter writer(out);
  if (has_text) writer.text("text_input", prompt.text_input);
  else writer.number("input_length", prompt.isl);
  if (!prompt.ids.empty()) writer.raw("input_ids", fmt::format("[{}]", fmt::join(prompt.ids, ",")));
  if (!prompt.messages.empty()) writer.raw("messages", prompt.messages);
  writer.number("osl", prompt.osl);
  if (row.answer) writer.text("answer", *row.answer);
  if (row.timestamp_ms) writer.number("timestamp", row.timestamp_ms);
  else writer.number("timestamp_s", prompt.timestamp_s);
  writer.raw("warmup", row.warmup ? "true" : "false");
  writer.raw("block", std::to_string(row.block));
  writer.raw("line", std::to_string(line));
  writer.end();
}

}  // namespace

Result<std::int64_t> read_rows(std::string_view text, std::string_view name, const OnRow& on_row) {
  return Reader(text, name, on_row).read();
}

Result<std::string> plain_rows(std::string_view text, std::string_view name, Answers answers,
                               std::vector<std::string>* fields) {
  std::string out;
  Status refused;
  std::size_t first_end =
      0;  // of the first row, to which the last member is added after all rows are read
  ORCH_ASSIGN(
      const std::int64_t left_out, read_rows(text, name, [&](PromptRow row, int line) {
        if (answers == Answers::left_out) row.answer.reset();
        const std::string& own = row.prompt.fields;
        if (fields) fields->push_back(own);
        else if (!own.empty() && refused.ok())
          refused = invalid(
              fmt::format("a row of a matrix's dataset cannot set {}: remove the field and set "
                          "it in the matrix, or measure the file with `bench --prompts`",
                          own.substr(0, own.find(':'))),
              {.file = std::string(name), .line = line, .column = 0});
        append_plain(row, line, out);
        if (first_end == 0) first_end = out.size();
      }));
  ORCH_TRY(refused);
  if (left_out > 0)
    out.insert(first_end - k_row_end.size(), fmt::format(",\"left_out\":{}", left_out));
  return out;
}

}  // namespace orch::prompt
