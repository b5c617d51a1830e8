// Values of parameters as cells of an expression table, and back.
#pragma once

#include "spec/matrix/parameter.hpp"
#include "core/sql/expression_table.hpp"

#include <string>

namespace orch::matrix {

sql::ColumnType column_type(Type type);
sql::Cell to_cell(const Value& value);
// "NULL", or the value.
std::string to_text(const sql::Cell& cell);
// The value of CELL, not NULL, when no runner declares its type.
Value free_value(const sql::Cell& cell);
// CELL, not NULL, as a value of PARAMETER, or why it cannot be one.
Result<Value> declared_value(const Parameter& parameter, const sql::Cell& cell);

}  // namespace orch::matrix
