#include "spec/matrix/cells.hpp"

namespace orch::matrix {

sql::ColumnType column_type(Type type) {
  switch (type) {
    case Type::text: return sql::ColumnType::text;
    case Type::integer:
    case Type::boolean: return sql::ColumnType::integer;
    case Type::real: return sql::ColumnType::real;
    case Type::version: return sql::ColumnType::version;
  }
  return sql::ColumnType::any;
}

sql::Cell to_cell(const Value& value) {
  return std::visit(
      [](const auto& typed) -> sql::Cell {
        if constexpr (std::is_same_v<std::decay_t<decltype(typed)>, bool>)
          return std::int64_t{typed};
        else return typed;
      },
      typed(value));
}

std::string to_text(const sql::Cell& cell) {
  return std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) return std::string("NULL");
        else if constexpr (std::is_same_v<T, sql::Blob>) return value.bytes;
        else return fmt::format("{}", value);
      },
      cell);
}

Value free_value(const sql::Cell& cell) {
  const Type type = std::holds_alternative<std::int64_t>(cell) ? Type::integer
                    : std::holds_alternative<double>(cell)     ? Type::real
                                                               : Type::text;
  return {type, to_text(cell)};
}

Result<Value> declared_value(const Parameter& parameter, const sql::Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  if (parameter.type == Type::boolean && integer && (*integer == 0 || *integer == 1))
    return Value{Type::boolean, *integer ? "true" : "false"};
  return read_text(parameter, to_text(cell));
}

}  // namespace orch::matrix
