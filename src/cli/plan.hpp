// `orchestrate plan MATRIX`: what would run, what is reused, what is rejected, and why. Starts nothing.
#pragma once

#include "cli/experiment.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"
#include "system/machine.hpp"

namespace CLI {
class App;
}

namespace orch::cli {

void add_plan(CLI::App& app, int& exit_code);

// The plan of EXPERIMENT against what STORE (may be null) holds.
plan::Plan make_plan(const Experiment& experiment, const execute::Layout& layout, const system::Machine& machine, system::Files& files, store::Store* store, Errors& errors);

// One line a point, then counts per stage.
std::string plan_text(const plan::Plan& plan);
// "environment: 1 run, build: 2 reused, ..." as a table.
std::string stage_counts(const plan::Plan& plan);

}  // namespace orch::cli
