// Deletes rows together with the rows that refer to them. Which tables do is read from the schema,
// so that a new table needs no change here. Does not know when to commit.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orch::tables {

// While it lives, no table is added.
class RowRemoval {
 public:
  // STATEMENTS must outlive it.
  explicit RowRemoval(Statements& statements) : statements_(statements) {}

  // Inside a transaction: deletes the rows of TABLE whose COLUMN is ID, after all rows that refer
  // to their integer primary key, and those that refer to these.
  Status remove(const std::string& table, const std::string& column, std::int64_t id);

 private:
  struct Reference {
    std::string table, column;
  };
  struct Known {
    std::string key;                    // "" when nothing can refer to a row
    std::vector<Reference> references;  // to the key
  };

  Result<const Known*> know(const std::string& table);

  Statements& statements_;
  std::map<std::string, Known> tables_;
};

}  // namespace orch::tables
