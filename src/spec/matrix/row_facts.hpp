// The facts of models and machines in the rows of an expansion: as inputs of the expression table,
// and which unknown ones the expressions wait for.
#pragma once

#include "spec/matrix/columns.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::matrix {

class RowFacts {
 public:
  // All must outlive this. COLUMNS: after create().
  RowFacts(const Known& known, Columns& columns);

  // Sets, among the INPUTS of a row, the facts of MODEL that some expression reads.
  void load(const std::string& model, std::vector<sql::ValueId>& inputs);
  // Determines the facts for which the columns of the row wait. Call after load(). GIVEN: by
  // column, the input that replaces its expression; k_null: none.
  void load_waits(std::span<const sql::ValueId> given);

  // The unknown facts that a column depends on, directly or through other expressions. Every column
  // that SQLite resolves counts, even if coalesce() could do without it.
  std::span<const std::string> waits(std::size_t column) const {
    return waits_ ? std::span<const std::string>((*waits_)[column])
                  : std::span<const std::string>();
  }
  // Whether a column depends on facts, known or unknown.
  bool are_behind(std::size_t column) const { return behind_ && !(*behind_)[column].empty(); }
  // The fact NAME of the row; null if NAME is not a fact or has no value.
  const Value* find(const std::string& name) const {
    return known_.is_fact(name) ? known_.find(model_, name) : nullptr;
  }

 private:
  // [column]: facts, sorted; empty: it depends on none.
  using Waits = std::vector<std::vector<std::string>>;
  // The facts of one model, as inputs.
  struct Facts {
    std::vector<std::pair<std::size_t, sql::ValueId>> inputs;
    std::set<std::string> unknown;
    std::map<std::vector<bool>, Waits> waits;  // by which columns are given
  };

  Facts& facts_of(const std::string& model);
  // The FACTS that each column depends on. GIVEN: columns whose expression is not evaluated.
  Waits find_waits(const std::set<std::string>& facts, const std::vector<bool>& given) const;

  const Known& known_;
  Columns& columns_;
  std::map<std::string, Facts> facts_;         // by model
  std::set<std::string> read_;                 // that some expression reads
  bool may_depend_ = false;                    // some parameter may depend on facts
  std::map<std::vector<bool>, Waits> depend_;  // on read_, by which columns are given

  Facts* own_ = nullptr;
  std::string model_;  // the model that own_ belongs to
  const Waits* waits_ = nullptr;
  const Waits* behind_ = nullptr;  // in depend_
};

}  // namespace orch::matrix
