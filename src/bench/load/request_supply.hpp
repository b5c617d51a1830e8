// The requests of all loads, made before the first one is sent, and the due times of open-loop
// requests. Sends nothing.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/load/turns.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/record/measurement.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::load {

// When the requests of an open loop are due. The schedule is drawn once from one seed before
// anything is sent, and is never adjusted afterwards.

// The due times of COUNT requests of an open LOAD (no trace), ascending, in nanoseconds from the
// start of the window. One SEED gives the same schedule on every machine; a shorter schedule is a
// prefix of a longer one.
std::vector<std::int64_t> draw_arrivals(const record::Load& load, std::uint64_t seed,
                                        std::size_t count);

class RequestSupply {
 public:
  using DueTimes = std::optional<std::vector<std::int64_t>>;

  // Makes the requests of PROMPTS. Fails if there are too few prompts, if the protocol cannot send
  // some of them, or if --arrival trace lacks ascending timestamps. OPTIONS is borrowed. OF_FIRST
  // makes the first request, PROTOCOL all others.
  static Result<RequestSupply> make(const BenchOptions& options, const prompt::PromptSet& prompts,
                                    const protocol::Protocol& protocol,
                                    const protocol::Protocol& of_first);

  // The requests of load LOAD.
  std::span<const PreparedRequest> warmup(std::size_t load) const { return warmup_.of_load(load); }
  std::span<const PreparedRequest> measured(std::size_t load) const {
    return measured_.of_load(load);
  }
  // A short request with a prompt that is not part of any load.
  const PreparedRequest& first() const { return first_; }
  // Due times in nanoseconds from the start of the phase; nullopt for a closed loop, and for the
  // warm-up of a trace.
  DueTimes warmup_due(std::size_t load) const;
  DueTimes measured_due(std::size_t load) const;

  // The number of measured requests per load.
  std::size_t measured_per_load() const { return measured_.per_load; }
  // The intended number of requests of one load.
  std::int64_t requests_per_load() const;
  // Warnings that apply to every load.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  enum class PhaseKind : std::uint64_t { warmup = 0, measured = 1 };

  // The requests of one phase: the same number for each load.
  struct Part {
    std::vector<PreparedRequest> requests = {};
    std::vector<std::int64_t> trace_ns = {};
    std::size_t per_load = 0;

    std::span<const PreparedRequest> of_load(std::size_t load) const {
      return std::span(requests).subspan(load * per_load, per_load);
    }
    // The timestamps of a trace for load LOAD, counted from its first request.
    std::vector<std::int64_t> trace_of_load(std::size_t load) const;
  };

  explicit RequestSupply(const BenchOptions& options) : options_(&options) {}
  std::vector<prompt::Prompt> warmup_prompts(const prompt::PromptSet& prompts);
  Result<Part> make_part(const std::vector<prompt::Prompt>& prompts, std::string_view kind,
                         std::int64_t requested, const protocol::Protocol& protocol) const;
  Status check_trace() const;
  std::uint64_t seed_of(std::size_t load, PhaseKind phase) const;
  std::vector<std::int64_t> draw_due_times(std::size_t load, PhaseKind phase, std::size_t count,
                                           double duration_s) const;

  const BenchOptions* options_;
  PreparedRequest first_;
  Part warmup_;
  Part measured_;
  std::vector<std::string> notes_;
};

}  // namespace orch::load
