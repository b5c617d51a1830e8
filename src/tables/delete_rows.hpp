// Deletes rows together with the rows that refer to them. Which tables do is read from the schema,
// so that a new table needs no change here. Does not know when to commit.
#pragma once

#include "base/result.hpp"
#include "tables/statements.hpp"

#include <cstdint>
#include <string>

namespace orch::tables {

// Inside a transaction: deletes the rows of TABLE whose COLUMN is ID, after all rows that refer to
// their integer primary key, and those that refer to these.
Status delete_rows(Statements& statements, const std::string& table, const std::string& column,
                   std::int64_t id);

}  // namespace orch::tables
