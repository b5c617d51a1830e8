// Answers of a record on their way into the database: read one by one, written in blocks, so that
// memory does not grow with them. They cost a measurement no figure: what cannot be had is left
// out, and its warnings say so. Knows no views.
#pragma once

#include "base/packed.hpp"
#include "system/files.hpp"
#include "tables/record.hpp"
#include "tables/statements.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace orch::tables {

// Larger than what anybody means to keep, so that a record can fill neither the memory nor the disk
// of who reads it.
struct AnswerLimits {
  std::size_t one = std::size_t{64} << 20;  // an answer as JSON: ten times a million tokens
  std::size_t all = std::size_t{4}
                    << 30;  // with what stands around them: 10,000 tokens a second for a day
};

struct Answer {
  std::int64_t line = 0;            // in requests.jsonl, from 1
  std::optional<std::string> text;  // nothing: it is too large
};

// answers.jsonl.zst, whose lines are {"line": N, "answer": TEXT}.
class AnswersFile {
 public:
  AnswersFile(system::Files& files, const std::string& path, const AnswerLimits& limits = {})
      : longest_(limits.one + k_around),
        lines_([&files, path](std::uint64_t offset,
                              std::size_t most) { return files.read_block(path, offset, most); },
               longest_, limits.all) {}

  // False: that was all. An error says what in which line is not as agreed; there is nothing to be
  // had after it.
  Result<bool> next(Answer& answer);
  // Of the line that it stood in, from 1.
  int number() const { return number_; }

 private:
  static constexpr std::size_t k_around = 64;  // an answer has this much beside it

  std::size_t longest_;
  PackedLines lines_;
  std::string line_;
  int number_ = 0;
};

// Inside a transaction. IDS: the rows of RECORD's measurements, in their order; none of those that
// have their answers.
Status put_answers(system::Files& files, Statements& statements, const Record& record,
                   std::span<const std::optional<std::int64_t>> ids);

}  // namespace orch::tables
