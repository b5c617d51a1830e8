// Moves the answers of a record into the database: reads them one by one and writes them in blocks,
// so that memory does not grow with their number. An answer that cannot be read invalidates no
// metric: it is left out and reported in the warnings of its measurement. Knows no views.
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

// Far above practical use. They keep a damaged or hostile record from filling memory or disk.
struct AnswerLimits {
  std::size_t one = std::size_t{64} << 20;  // of one answer as JSON: about ten million tokens
  std::size_t all = std::size_t{4} << 30;   // of all lines: 10,000 tokens per second for a day
};

struct Answer {
  std::int64_t line = 0;            // in requests.jsonl, from 1
  std::optional<std::string> text;  // nullopt: larger than the limit
};

// answers.jsonl.zst, whose lines are {"line": N, "answer": TEXT}.
class AnswersFile {
 public:
  AnswersFile(system::Files& files, const std::string& path, const AnswerLimits& limits = {})
      : longest_(limits.one + k_around),
        lines_([&files, path](std::uint64_t offset,
                              std::size_t most) { return files.read_block(path, offset, most); },
               longest_, limits.all) {}

  // False at the end. An error names the line and its fault; no answer can be read after it.
  Result<bool> next(Answer& answer);
  // The line of the last answer, from 1.
  int number() const { return number_; }

 private:
  static constexpr std::size_t k_around = 64;  // the bytes of a line besides its answer

  std::size_t longest_;
  PackedLines lines_;
  std::string line_;
  int number_ = 0;
};

// Runs inside the caller's transaction. IDS: the rows of RECORD's measurements, in their order;
// nullopt for a measurement whose answers are already stored.
Status put_answers(system::Files& files, Statements& statements, const record::Record& record,
                   std::span<const std::optional<std::int64_t>> ids);

}  // namespace orch::tables
