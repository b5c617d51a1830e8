#include "tables/answers.hpp"

#include "base/json_text.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <utility>
#include <vector>

namespace orch::tables {

namespace {

using nlohmann::json;

// SQLite's json_each() ends a text at a byte of zero; what follows it is worth more.
std::string without_nul(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\xef\xbf\xbd");
  return text;
}

// Of {"line":N,... as bench writes it, whatever follows.
std::optional<std::int64_t> line_at_the_beginning(std::string_view text) {
  constexpr std::string_view k_key = "{\"line\":";
  std::int64_t line = 0;
  if (!text.starts_with(k_key)) return {};
  const auto read = std::from_chars(text.data() + k_key.size(), text.data() + text.size(), line);
  return read.ec == std::errc() ? std::optional(line) : std::nullopt;
}

// Blocks of one measurement's answers, each large enough to become small.
class AnswerBlocks {
 public:
  AnswerBlocks(Statements& statements, std::int64_t id) : statements_(statements), id_(id) {}

  // False: it is larger than an answer may be.
  Result<bool> add(std::int64_t line, std::string text) {
    const std::string quoted = dump(json(without_nul(std::move(text))));
    if (quoted.size() > AnswerLimits{}.one) return false;
    if (texts_.empty()) first_line_ = line;
    texts_ += fmt::format("{}\"{}\":{}", texts_.empty() ? '{' : ',', line, quoted);
    if (texts_.size() >= k_block_bytes) ORCH_TRY(write());
    return true;
  }
  Status write() {
    if (texts_.empty()) return {};
    ORCH_ASSIGN(
        sql::Statement * row,
        statements_.get(
            "INSERT INTO answer_block (measurement_id, first_line, texts) VALUES (?, ?, ?)"));
    const std::string packed = pack(texts_ + '}');
    texts_.clear();
    ORCH_TRY(row->bind(1, id_));
    ORCH_TRY(row->bind(2, first_line_));
    ORCH_TRY(row->bind_blob(3, std::as_bytes(std::span(packed))));
    return row->run();
  }

 private:
  static constexpr std::size_t k_block_bytes = 256 * 1024;

  Statements& statements_;
  std::int64_t id_;
  std::string texts_;
  std::int64_t first_line_ = 0;
};

// One measurement of the record.
struct Asked {
  const Measured& measured;
  std::optional<std::int64_t> id;
  AnswerBlocks blocks;
  std::int64_t kept = 0, too_large = 0;
  std::vector<std::string> warnings = {};
};

class PutAnswers {
 public:
  PutAnswers(Statements& statements, const Record& record,
             std::span<const std::optional<std::int64_t>> ids)
      : statements_(statements) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      asked_.push_back({.measured = record.measurements[i],
                        .id = ids[i],
                        .blocks = AnswerBlocks(statements, ids[i].value_or(0))});
      for (const Request& request : record.measurements[i].requests) {
        if (std::cmp_less_equal(owners_.size(), request.line))
          owners_.resize(static_cast<std::size_t>(request.line) + 1, k_nobody);
        owners_[static_cast<std::size_t>(request.line)] = static_cast<int>(i);
      }
    }
  }

  // Of older records, whose requests have them.
  Status put_those_of_requests() {
    for (Asked& asked : asked_) {
      for (const Request& request : asked.measured.requests) {
        if (!request.answer) continue;
        owners_[static_cast<std::size_t>(request.line)] = k_answered;
        ORCH_TRY(put(asked, {.line = request.line, .text = request.answer}));
      }
      ORCH_TRY(asked.blocks.write());
    }
    return {};
  }

  Status put_those_of_file(system::Files& files, const std::string& path) {
    AnswersFile file(files, path);
    Answer answer;
    Asked* before = nullptr;
    for (std::int64_t last = 0;; last = answer.line) {
      const Result<Asked*> owner = next(file, answer);
      if (before && (!owner.ok() || *owner != before)) ORCH_TRY(before->blocks.write());
      if (!owner.ok()) return warn_of_what_follows(last, owner.error().text()), Status();
      if (!*owner) return {};
      before = *owner;
      ORCH_TRY(put(*before, std::move(answer)));
    }
  }

  Status put_warnings() {
    for (Asked& asked : asked_) {
      if (!asked.id) continue;
      const std::size_t mib = AnswerLimits{}.one >> 20;
      if (asked.too_large == 1)
        asked.warnings.push_back(
            fmt::format("one answer was left out: it is larger than {} MiB", mib));
      if (asked.too_large > 1)
        asked.warnings.push_back(fmt::format("{} answers were left out: each is larger than {} MiB",
                                             asked.too_large, mib));
      if (asked.warnings.empty()) continue;
      ORCH_TRY(
          statements_.run("UPDATE measurement SET warnings = warnings || iif(warnings = '', '', '; "
                          "') || ? WHERE id = ?",
                          fmt::format("{}", fmt::join(asked.warnings, "; ")), *asked.id));
    }
    return {};
  }

 private:
  static constexpr int k_nobody = -1, k_answered = -2;

  // The next answer and whose it is; of nobody: that was all.
  Result<Asked*> next(AnswersFile& file, Answer& answer) {
    ORCH_ASSIGN(const bool more, file.next(answer));
    if (!more) return nullptr;
    const bool known = answer.line > 0 && std::cmp_less(answer.line, owners_.size());
    const int owner =
        known ? std::exchange(owners_[static_cast<std::size_t>(answer.line)], k_answered)
              : k_nobody;
    if (owner == k_nobody)
      return invalid(
          fmt::format("line {}: requests.jsonl has no line {}", file.number(), answer.line));
    if (owner == k_answered)
      return invalid(fmt::format("line {}: line {} of requests.jsonl is answered already",
                                 file.number(), answer.line));
    return &asked_[static_cast<std::size_t>(owner)];
  }

  Status put(Asked& asked, Answer answer) {
    if (!asked.id) return {};
    bool kept = false;
    if (answer.text) {
      ORCH_ASSIGN(kept, asked.blocks.add(answer.line, std::move(*answer.text)));
    }
    ++(kept ? asked.kept : asked.too_large);
    return {};
  }

  // Answers stand in the order of their requests.
  void warn_of_what_follows(std::int64_t last, const std::string& why) {
    for (Asked& asked : asked_)
      if (const auto& requests = asked.measured.requests;
          !requests.empty() && requests.back().line > last)
        asked.warnings.push_back(
            fmt::format("only the answers of {} of {} requests are kept: answers.jsonl.zst: {}",
                        asked.kept, requests.size(), why));
  }

  Statements& statements_;
  std::vector<Asked> asked_;
  std::vector<int> owners_;  // by line of requests.jsonl: which measurement's
};

}  // namespace

Result<bool> AnswersFile::next(Answer& answer) {
  ORCH_ASSIGN(const bool more, lines_.next(line_));
  if (!more) return false;
  ++number_;
  if (lines_.cut()) {
    const auto line = line_at_the_beginning(line_);
    if (!line)
      return invalid(
          fmt::format("line {}: longer than {} bytes, and it does not begin with {{\"line\": N",
                      number_, longest_));
    answer = {.line = *line, .text = {}};
    return true;
  }
  // What is deeper than a value of the one object is nothing of ours, and would take many times its
  // length.
  const auto flat = [](int depth, json::parse_event_t event, json&) {
    return event != json::parse_event_t::array_start &&
           (event != json::parse_event_t::object_start || depth == 0);
  };
  json source = json::parse(line_, flat, false);
  const auto line = source.is_object() ? source.find("line") : source.end();
  const auto text = source.is_object() ? source.find("answer") : source.end();
  if (line == source.end() || !line->is_number_integer() || text == source.end() ||
      !text->is_string())
    return invalid(fmt::format("line {}: not {{\"line\": N, \"answer\": TEXT}}", number_));
  answer = {.line = line->get<std::int64_t>(), .text = std::move(text->get_ref<std::string&>())};
  return true;
}

Status put_answers(system::Files& files, Statements& statements, const Record& record,
                   std::span<const std::optional<std::int64_t>> ids) {
  PutAnswers work(statements, record, ids);
  ORCH_TRY(work.put_those_of_requests());
  if (record.answers) ORCH_TRY(work.put_those_of_file(files, *record.answers));
  return work.put_warnings();
}

}  // namespace orch::tables
