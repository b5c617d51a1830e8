// Moves the answers of a record into the database: reads them one by one and writes them in blocks,
// so that memory does not grow with their number. An answer that cannot be read does not invalidate
// metrics: it is left out and reported in the warnings of its measurement.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/sql/packed.hpp"
#include "os/system/files.hpp"
#include "results/tables/statements.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace orch::tables {

// Limits far above practical use, so that a damaged or hostile record cannot fill memory or disk.
struct AnswerLimits {
  std::size_t one = std::size_t{64} << 20;  // bytes of one answer as JSON: about ten million tokens
  // Bytes of all lines: 10,000 tokens per second for a day.
  std::size_t all = std::size_t{4} << 30;
};

struct Answer {
  std::int64_t line = 0;            // the request's line in requests.jsonl, from 1
  std::optional<std::string> text;  // nullopt: it exceeds the limit
};

// Reads answers.jsonl.zst, whose lines are {"line": N, "answer": TEXT}.
class AnswersFile {
 public:
  AnswersFile(system::Files& files, const std::string& path, const AnswerLimits& limits = {})
      : longest_(limits.one + k_around),
        lines_([&files, path](std::uint64_t offset,
                              std::size_t most) { return files.read_block(path, offset, most); },
               longest_, limits.all) {}

  // Reads the next answer; false at the end. An error names the line and its fault; no more answers
  // can be read then.
  Result<bool> next(Answer& answer);
  // The line of the file with the last answer, from 1.
  int number() const { return number_; }

 private:
  static constexpr std::size_t k_around = 64;  // the bytes of a line besides its answer

  std::size_t longest_;
  PackedLines lines_;
  std::string line_;
  int number_ = 0;
};

// Stores the answers of RECORD inside the caller's transaction. IDS are the rows of RECORD's
// measurements, in order; nullopt for a measurement whose answers are stored already.
Status put_answers(system::Files& files, Statements& statements, const record::Record& record,
                   std::span<const std::optional<std::int64_t>> ids);

}  // namespace orch::tables
