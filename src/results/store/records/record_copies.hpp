// The copies of the run records inside the database, from which a record file that was damaged or
// truncated is restored. Knows no file. Private to src/results/store.
#pragma once

#include "results/tables/statements.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::store {

// The Statements must outlive it. Changes need a transaction of the caller.
class RecordCopies {
 public:
  explicit RecordCopies(tables::Statements& statements) : statements_(statements) {}

  // Adds TEXT, which is at byte FROM of FILE; copies are without gaps.
  Status add(const std::string& file, std::int64_t from, std::string_view text);
  // How many bytes of FILE are copied, from its beginning.
  Result<std::int64_t> size(const std::string& file);
  // The bytes of FILE from FROM to the end of its copy.
  Result<std::string> read(const std::string& file, std::int64_t from = 0);
  // Packs the pieces of each file together: single lines compress badly.
  Status fold();

 private:
  Status fold(const std::string& file);

  tables::Statements& statements_;
};

}  // namespace orch::store
