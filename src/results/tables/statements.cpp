#include "results/tables/statements.hpp"

namespace orch::tables {

Result<sql::Statement*> Statements::get(std::string_view sql) {
  if (const auto found = kept_.find(sql); found != kept_.end()) return &found->second;
  ORCH_ASSIGN(sql::Statement statement, database_.prepare(sql));
  return &kept_.emplace(std::string(sql), std::move(statement)).first->second;
}

}  // namespace orch::tables
