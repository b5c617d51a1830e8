// The summary of a finished run: counts and causes on stderr, the main metrics on stdout.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "plan/graph/plan.hpp"
#include "run/schedule/scheduler.hpp"
#include "results/store/store.hpp"

#include <cstdint>

namespace orch::cli {

// Prints why a run is over before its end; the exit status.
int fail_run(const Errors& errors);

// UNTIL: the last stage that was asked for; "": all.
void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome,
                   const std::string& until, double seconds);

// The points of this run, best throughput first.
void print_results(store::Store& store, const matrix::Matrix& matrix, std::int64_t run_id);

}  // namespace orch::cli
