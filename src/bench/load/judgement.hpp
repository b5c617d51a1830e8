// From the raw phases of one load to its measurement: times relative to the window, metrics, the
// verdict with its reasons and warnings, and each server's share. It sends nothing and reads no
// clock.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/load/load_run.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/record/measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::load {

// Judges RUN of the load with that index. NOTES are warnings that hold for every load.
record::Measurement judge_run(const RunContext& context, std::size_t load, RawRun run,
                              const std::vector<std::string>& notes);

// Token counts of the measured answers after a window: counts the texts that no other source
// counted, checks event counts against the texts, and names the sources of the counts. It does not
// know how a tokenizer works.

// Counts the tokens of the successful answers that have no count. A failure becomes a warning.
void count_answer_texts(const BenchOptions& options, const Progress& progress,
                        std::vector<measure::RequestRecord>& records,
                        std::vector<std::string>& warnings);

// Retokenises a sample of the answers whose tokens were counted by events, and warns when the texts
// hold clearly more tokens. FORCED_OSL: the length of every answer is known, nothing is checked.
void check_event_counts(const BenchOptions& options, bool forced_osl,
                        std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings);

// Answers that were counted by their forced length in fewer events: counted by events where the
// texts say that each event has one token, with a warning.
void check_forced_counts(const BenchOptions& options, std::vector<measure::RequestRecord>& records,
                         std::vector<std::string>& warnings);

// The sources of the output token counts, for the record.
std::string osl_sources(std::span<const measure::RequestRecord> records,
                        std::int64_t tokens_per_event);
// The source of the input token counts. SENT_IDS: prompts were sent as token ids.
std::string isl_source(std::span<const measure::RequestRecord> records, bool sent_ids,
                       bool has_tokenizer);

}  // namespace orch::load
