// What the load generator did and what the GPUs reported, as provenance: prompts, settings, how
// tokens were counted, formulas, throttling. Compares nothing.
#pragma once

#include "core/base/result.hpp"
#include "analysis/compare/observations.hpp"
#include "analysis/compare/provenance.hpp"
#include "core/sql/database.hpp"

#include <string>
#include <vector>

namespace orch::compare {

// Of the measurements in SELECTED, as provenance_of() reads them. Prompts and settings of a stage
// that reads one of the DIFFERING parameters are left out: they differ as its consequence.
Result<Provenance> load_facts_of(sql::Database& database, const Selected& selected,
                                 const std::vector<std::string>& differing);

// The measurements in SELECTED whose pair is among PAIRING's: what is not compared confounds
// nothing.
Selected compared_of(const Selected& selected, const Pairing& pairing);

}  // namespace orch::compare
