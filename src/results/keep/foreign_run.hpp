// A run as a bundle describes it, checked and stripped of what holds on its own machine only:
// processes, logs, folders. Trusts nothing that it reads; writes nothing but copies of records.
#pragma once

#include "results/keep/bundle.hpp"
#include "run/schedule/journal.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/scores.hpp"

#include <string>
#include <variant>
#include <vector>

namespace orch::keep {

using ForeignFact = std::variant<store::PlanFact, schedule::Event, store::Finished, tables::Scored>;

struct ForeignRun {
  BundledRun bundled;
  store::RunRecord record;  // without its id, its process and its folder
  std::vector<ForeignFact> facts;

  // The folder of the record that the bundle names PATH, below the store that it is merged into.
  std::string place_of(const std::string& path) const;
};

// RUN of the bundle in FOLDER. Errors name the run and what is wrong with it.
Result<ForeignRun> read_foreign_run(system::Files& files, const std::string& folder,
                                    const BundledRun& run);

// Copies the records of RUN to TO/1, TO/2, ..., durably, and checks that each file has its digest
// and that each record can be read.
Status copy_records(system::Files& files, const std::string& folder, const ForeignRun& run,
                    const std::string& to);

}  // namespace orch::keep
