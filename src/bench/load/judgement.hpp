// Turns the raw phases of one load into its measurement: times relative to the window, metrics, the
// verdict with its reasons and warnings, and each server's share. Sends nothing and reads no clock.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/load/load_run.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/record/measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orch::load {

// Judges RUN of load LOAD. NOTES: warnings that apply to every load.
record::Measurement judge_run(const RunContext& context, std::size_t load, RawRun run,
                              const std::vector<std::string>& notes);

// Token counts of the measured answers after a window: counts the texts of answers that have no
// other count, checks event counts against the texts, and names the sources of the counts.

// Counts the tokens of successful answers without a count. A failure becomes a warning.
void count_answer_texts(const BenchOptions& options, const Progress& progress,
                        std::vector<measure::RequestRecord>& records,
                        std::vector<std::string>& warnings);

// Retokenises a sample of the answers whose tokens were counted by events, and warns if the texts
// have clearly more tokens. FORCED_OSL: the length of every answer is known, so nothing is checked.
void check_event_counts(const BenchOptions& options, bool forced_osl,
                        std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings);

// Recounts the answers that were counted by their forced length but have fewer events. If a sample
// of their texts is closer to one token per event, counts events instead and warns.
void check_forced_counts(const BenchOptions& options, std::vector<measure::RequestRecord>& records,
                         std::vector<std::string>& warnings);

// The sources of the output token counts, for the record.
std::string osl_sources(std::span<const measure::RequestRecord> records,
                        std::int64_t tokens_per_event);
// The source of the input token counts. SENT_IDS: prompts were sent as token ids.
std::string isl_source(std::span<const measure::RequestRecord> records, bool sent_ids,
                       bool has_tokenizer);

}  // namespace orch::load
