#include "results/tables/answers.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

namespace orch::tables {

namespace {

using nlohmann::json;

// TEXT without NUL bytes, at which SQLite's json_each() would end the text.
std::string without_nul(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\xef\xbf\xbd");
  return text;
}

// N if TEXT begins with {"line":N, as `bench` writes it.
std::optional<std::int64_t> line_at_the_beginning(std::string_view text) {
  constexpr std::string_view k_key = "{\"line\":";
  std::int64_t line = 0;
  if (!text.starts_with(k_key)) return {};
  const auto read = std::from_chars(text.data() + k_key.size(), text.data() + text.size(), line);
  return read.ec == std::errc() ? std::optional(line) : std::nullopt;
}

// Writes blocks of one measurement's answers, each large enough to compress well.
class AnswerBlocks {
 public:
  AnswerBlocks(Statements& statements, std::int64_t id) : statements_(statements), id_(id) {}

  // False: the answer exceeds the limit and is left out.
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
struct Target {
  const record::MeasurementRow& measured;
  std::optional<std::int64_t> id;
  AnswerBlocks blocks;
  std::int64_t kept = 0, too_large = 0;
  std::vector<std::string> warnings = {};
};

class PutAnswers {
 public:
  PutAnswers(Statements& statements, const record::Record& record,
             std::span<const std::optional<std::int64_t>> ids)
      : statements_(statements) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      targets_.push_back({.measured = record.measurements[i],
                          .id = ids[i],
                          .blocks = AnswerBlocks(statements, ids[i].value_or(0))});
      for (const record::RequestRow& request : record.measurements[i].requests) {
        if (std::cmp_less_equal(owners_.size(), request.line))
          owners_.resize(static_cast<std::size_t>(request.line) + 1, k_no_owner);
        owners_[static_cast<std::size_t>(request.line)] = static_cast<int>(i);
      }
    }
  }

  // Stores the answers of older records, which are in requests.jsonl.
  Status put_from_requests() {
    for (Target& target : targets_) {
      for (const record::RequestRow& request : target.measured.requests) {
        if (!request.answer) continue;
        owners_[static_cast<std::size_t>(request.line)] = k_answered;
        ORCH_TRY(put(target, {.line = request.line, .text = request.answer}));
      }
      ORCH_TRY(target.blocks.write());
    }
    return {};
  }

  Status put_from_file(system::Files& files, const std::string& path) {
    AnswersFile file(files, path);
    Answer answer;
    Target* before = nullptr;
    for (std::int64_t last = 0;;) {
      const Result<Target*> owner = next(file, answer);
      if (before && (!owner.ok() || *owner != before)) ORCH_TRY(before->blocks.write());
      if (!owner.ok()) {
        warn_of_missing_answers(last, owner.error().text());
        return Status();
      }
      if (!*owner) return {};
      before = *owner;
      last = answer.line;
      ORCH_TRY(put(*before, std::move(answer)));
    }
  }

  Status put_warnings() {
    for (Target& target : targets_) {
      if (!target.id) continue;
      const std::size_t mib = AnswerLimits{}.one >> 20;
      if (target.too_large == 1)
        target.warnings.push_back(
            fmt::format("one answer was left out: it is larger than {} MiB", mib));
      if (target.too_large > 1)
        target.warnings.push_back(fmt::format(
            "{} answers were left out: each is larger than {} MiB", target.too_large, mib));
      if (target.warnings.empty()) continue;
      ORCH_TRY(
          statements_.run("UPDATE measurement SET warnings = warnings || iif(warnings = '', '', '; "
                          "') || ? WHERE id = ?",
                          fmt::format("{}", fmt::join(target.warnings, "; ")), *target.id));
    }
    return {};
  }

 private:
  static constexpr int k_no_owner = -1, k_answered = -2;

  // Reads the next answer into ANSWER and returns its measurement; null at the end of the file.
  Result<Target*> next(AnswersFile& file, Answer& answer) {
    ORCH_ASSIGN(const bool more, file.next(answer));
    if (!more) return nullptr;
    const bool known = answer.line > 0 && std::cmp_less(answer.line, owners_.size());
    const int owner =
        known ? std::exchange(owners_[static_cast<std::size_t>(answer.line)], k_answered)
              : k_no_owner;
    if (owner == k_no_owner)
      return invalid(
          fmt::format("line {}: requests.jsonl has no line {}", file.number(), answer.line));
    if (owner == k_answered)
      return invalid(fmt::format("line {}: line {} of requests.jsonl is answered already",
                                 file.number(), answer.line));
    return &targets_[static_cast<std::size_t>(owner)];
  }

  Status put(Target& target, Answer answer) {
    if (!target.id) return {};
    bool kept = false;
    if (answer.text) {
      ORCH_ASSIGN(kept, target.blocks.add(answer.line, std::move(*answer.text)));
    }
    ++(kept ? target.kept : target.too_large);
    return {};
  }

  // Adds warnings about missing answers: all after line LAST, because answers are in the order of
  // their requests.
  void warn_of_missing_answers(std::int64_t last, const std::string& why) {
    for (Target& target : targets_)
      if (const auto& requests = target.measured.requests;
          !requests.empty() && requests.back().line > last)
        target.warnings.push_back(
            fmt::format("only the answers of {} of {} requests are kept: answers.jsonl.zst: {}",
                        target.kept, requests.size(), why));
  }

  Statements& statements_;
  std::vector<Target> targets_;
  std::vector<int> owners_;  // by line of requests.jsonl: the index of its measurement
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
  // Rejects deeper values: they are not part of the format, and parsing them would need several
  // times their length in memory.
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

Status put_answers(system::Files& files, Statements& statements, const record::Record& record,
                   std::span<const std::optional<std::int64_t>> ids) {
  PutAnswers work(statements, record, ids);
  ORCH_TRY(work.put_from_requests());
  if (record.answers) ORCH_TRY(work.put_from_file(files, *record.answers));
  return work.put_warnings();
}

}  // namespace orch::tables
