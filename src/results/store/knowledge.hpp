// What the database of a store knows, for comparison: a rebuilt one must not know less. Private to
// src/results/store.
#pragma once

#include "results/store/layout.hpp"
#include "results/tables/statements.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::store {

// A key per run, end of an attempt, output and measurement, with words for a message. Keys are the
// same in another database about the same events.
using Knowledge = std::map<std::string, std::string>;

Result<Knowledge> knowledge_of(tables::Statements& statements);
// What the manifests in artifacts/ tell: the output of an attempt is there.
Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout);

// The words for each entry of WANTED that FOUND lacks.
std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found);

}  // namespace orch::store
