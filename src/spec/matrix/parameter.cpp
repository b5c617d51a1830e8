#include "spec/matrix/parameter.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/render/symbols.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::matrix {

namespace {

// The integer that TEXT most likely means: "08", "+8", "1e3", "8.0", "1_000".
std::optional<std::int64_t> meant_integer(std::string_view text) {
  std::string plain;
  for (char c : text)
    if (c != '_' && c != ',') plain += c;
  if (plain.starts_with('+')) plain.erase(0, 1);
  if (const auto integer = to_integer(plain)) return integer;
  const auto real = to_real(plain);
  constexpr double k_exact = 9007199254740992.0;
  if (real && std::trunc(*real) == *real && std::abs(*real) <= k_exact)
    return static_cast<std::int64_t>(*real);
  return std::nullopt;
}

std::optional<std::string> meant_boolean(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true" || word == "yes" || word == "on" || word == "1") return "true";
  if (word == "false" || word == "no" || word == "off" || word == "0") return "false";
  return std::nullopt;
}

// Begins with a digit and has a dot: 0.14.0, 24.08-py3, 1.0rc1.
bool is_version(std::string_view text) {
  if (text.empty() || !is_digit(text.front()) || text.find('.') == std::string_view::npos)
    return false;
  if (!is_letter_or_digit(text.back())) return false;
  return text.find("..") == std::string_view::npos && std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '-' || c == '+' || c == '_';
         });
}

Status check_limits(const Parameter& parameter, double number, std::string_view text) {
  if (parameter.least && !(number >= *parameter.least))
    return invalid(
        fmt::format("'{}' must be at least {}, not {}", parameter.name, *parameter.least, text));
  if (parameter.most && !(number <= *parameter.most))
    return invalid(
        fmt::format("'{}' must be at most {}, not {}", parameter.name, *parameter.most, text));
  return {};
}

Result<Value> read_integer(const Parameter& parameter, std::string_view text) {
  const auto integer = to_integer(text);
  if (!integer || std::to_string(*integer) != text) {
    const auto meant = meant_integer(text);
    return invalid(fmt::format("'{}' must be a whole number, not {}{}", parameter.name,
                               quoted(text), meant ? fmt::format("; write {}", *meant) : ""));
  }
  ORCH_TRY(check_limits(parameter, static_cast<double>(*integer), text));
  return Value{Type::integer, std::string(text)};
}

Result<Value> read_real(const Parameter& parameter, std::string_view text) {
  const auto real = to_real(text);
  if (!real)
    return invalid(
        fmt::format("'{}' must be a number, such as 0.5, not {}", parameter.name, quoted(text)));
  ORCH_TRY(check_limits(parameter, *real, text));
  return Value{Type::real, fmt::format("{}", *real)};
}

Result<Value> read_boolean(const Parameter& parameter, std::string_view text) {
  if (to_bool(text)) return Value{Type::boolean, std::string(text)};
  const auto meant = meant_boolean(text);
  return invalid(fmt::format("'{}' must be true or false, not {}{}", parameter.name, quoted(text),
                             meant ? fmt::format("; write {}", *meant) : ""));
}

Result<Value> read_version(const Parameter& parameter, std::string_view text) {
  if (is_version(text)) return Value{Type::version, std::string(text)};
  // v0.14.0, the usual form of tags.
  if (text.starts_with('v') && is_version(text.substr(1)))
    return invalid(fmt::format("'{}' must be a version, not {}; write {}", parameter.name,
                               quoted(text), text.substr(1)));
  return invalid(
      fmt::format("'{}' must be a version, such as 0.14.0, not {}", parameter.name, quoted(text)));
}

Result<Value> read_plain_text(const Parameter& parameter, std::string_view text) {
  if (const auto symbol = render::find_runner_symbol(text))
    return invalid(
        fmt::format("'{}' holds {}, which a runner would replace; values are not filled in, so "
                    "leave the braces out",
                    parameter.name, quoted(*symbol)));
  return Value{Type::text, std::string(text)};
}

Result<Value> read_type(const Parameter& parameter, std::string_view text) {
  switch (parameter.type) {
    case Type::text: return read_plain_text(parameter, text);
    case Type::integer: return read_integer(parameter, text);
    case Type::real: return read_real(parameter, text);
    case Type::boolean: return read_boolean(parameter, text);
    case Type::version: return read_version(parameter, text);
  }
  return Value{};
}

bool same(const Parameter& parameter, std::string_view a, std::string_view b) {
  return a == b || (parameter.type == Type::real && to_real(a) == to_real(b));
}

}  // namespace

TypedValue typed(const Value& value) {
  switch (value.type) {
    case Type::integer:
      if (const auto number = to_integer(value.text)) return *number;
      break;
    case Type::real:
      if (const auto number = to_real(value.text)) return *number;
      break;
    case Type::boolean: return value.text == "true";
    case Type::text:
    case Type::version: break;
  }
  return value.text;
}

namespace {

Result<Value> read_one(const Parameter& parameter, std::string_view text) {
  ORCH_ASSIGN(Value value, read_type(parameter, text));
  const auto& allowed = parameter.allowed;
  if (allowed.empty() || parameter.is_dataset) return value;
  if (std::ranges::any_of(allowed,
                          [&](const std::string& one) { return same(parameter, one, text); }))
    return value;
  const std::string near = did_you_mean(text, allowed);
  return invalid(fmt::format("'{}' cannot be {}; it is one of: {}{}", parameter.name, quoted(text),
                             join(allowed, ", "), near));
}

}  // namespace

Result<Value> read_text(const Parameter& parameter, std::string_view text) {
  Result<Value> value = read_one(parameter, text);
  if (value) return value;
  // [1 4 8] is a list of one value.
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  if (words.size() > 1 && std::ranges::all_of(words, [&](const std::string& word) {
        return read_one(parameter, word).ok();
      }))
    return invalid(fmt::format("'{}' cannot be {}; separate the values of a list by commas: [{}]",
                               parameter.name, quoted(text), join(words, ", ")));
  return value;
}

namespace {

Result<Value> read_scalar(const Parameter& parameter, const Yaml& scalar) {
  if (!scalar.is_scalar())
    return invalid(fmt::format("'{}' must be one value of type {}, not {}{}", parameter.name,
                               type_name(parameter), scalar.describe(),
                               scalar.is_list() ? "; several values are an axis, or one entry each"
                               : scalar.is_null() && parameter.type == Type::text
                                   ? "; write '' for the empty text"
                                   : ""),
                   scalar.where);
  auto value = read_text(parameter, scalar.text);
  if (value) return value;
  Error error = std::move(value).error();
  error.where = scalar.where;
  return error;
}

}  // namespace

Result<Value> read_value(const Parameter& parameter, const Yaml& node) {
  if (!parameter.is_list) return read_scalar(parameter, node);
  nlohmann::json texts = nlohmann::json::array();
  const std::vector<Yaml> one = {node};
  for (const Yaml& item : node.is_list() ? node.items : one) {
    ORCH_ASSIGN(const Value text, read_scalar(parameter, item));
    texts.push_back(text.text);
  }
  return Value{Type::text, dump(texts, -1)};
}

std::string_view type_name(const Parameter& parameter) {
  if (parameter.is_path) return "path";
  if (parameter.is_model) return "model";
  if (parameter.is_dataset) return "dataset";
  return parameter.is_list ? "list" : to_string(parameter.type);
}

Parameters::Parameters(std::initializer_list<std::pair<const std::string, Value>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

void Parameters::set(const std::string& name, Value value) {
  std::map<std::string, Value> all;
  for (const auto& [own_name, own_value] : *this) all.emplace(own_name, own_value);
  all.insert_or_assign(name, std::move(value));
  auto table = std::make_shared<ParameterTable>();
  for (auto& [own_name, own_value] : all) {
    table->columns.emplace_back().push(static_cast<std::uint32_t>(table->values.size()));
    table->names.push_back(own_name);
    table->values.push_back(std::move(own_value));
  }
  table_ = std::move(table);
  row_ = 0;
}

const Value* Parameters::find(std::string_view name) const {
  if (!table_) return nullptr;
  const auto& names = table_->names;
  const auto found = std::ranges::lower_bound(names, name);
  return found == names.end() || *found != name
             ? nullptr
             : table_->find(row_, static_cast<std::size_t>(found - names.begin()));
}

std::size_t Parameters::size() const {
  return static_cast<std::size_t>(std::distance(begin(), end()));
}

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
