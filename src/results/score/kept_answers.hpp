// Reads the kept answers of measurements from a store, each with its prompt.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "os/system/files.hpp"
#include "results/store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::score {

// Selects measurements: those of `run`, or those for which `where`, SQL over results_all, is true.
// If neither is set, those of the newest run.
struct Selection {
  std::optional<std::int64_t> run;
  std::string where;
};

// A measurement by our own load generator.
struct Target {
  std::int64_t id = 0;
  std::string token;  // of the attempt that made the measurement
  std::int64_t ordinal = 0;
  std::string run_uid;  // of the run that made the measurement
  std::string point;    // of the newest run that requested it
  std::string path;     // of its record
  std::int64_t block = 0, batch = 1;
  bool reuses_prompts = false;
  std::string prompts_file, prompts_sha256;  // in the store; "": its prompts are not known here
  std::string dataset_sha256;                // "": synthetic prompts, or unknown
  std::optional<double> temperature;
  std::optional<std::int64_t> concurrency, seed;
};

// The valid measurements of SELECTION, in the order in which they were made. Errors: the run is
// unknown, `where` is not SQL over results_all, or there are no such measurements.
Result<std::vector<Target>> find_targets(sql::Database& database, Selection selection);

struct KeptAnswer {
  std::int64_t line = 0;    // its line in requests.jsonl
  std::int64_t idx = 0;     // of the request
  std::string prompt = {};  // prompt_key(); "" if unknown
  std::string text = {};    // of the prompt; "" if only ids were sent
  std::string answer = {};  // "": the request succeeded, and its answer has no text
};

struct KeptAnswers {
  std::vector<KeptAnswer> answers;  // in the order of idx
  std::int64_t unanswered = 0;      // requests that failed, or whose answer was not kept
};

// Reads answers, without those of warm-up requests. Errors, with the remedy: the answers were not
// kept, cannot be distinguished (a request has several), or the prompts are no longer in the store.
// With NEEDS_PROMPTS, it is also an error if the store never had the prompts.
class AnswerReader {
 public:
  AnswerReader(sql::Database& database, system::Files& files, const store::Layout& layout)
      : database_(database), files_(files), layout_(layout) {}
  Result<KeptAnswers> read(const Target& target, bool needs_prompts);

 private:
  Status read_answers(const Target& target, KeptAnswers& out);
  Status add_prompts(const Target& target, KeptAnswers& out);

  sql::Database& database_;
  system::Files& files_;
  const store::Layout& layout_;
};

}  // namespace orch::score
