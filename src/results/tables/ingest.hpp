// Writes a measurement's record into the database. Idempotent: a record that is already stored
// changes nothing. The caller commits.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::tables {

// The facts about a measurement that its record does not contain.
struct MeasurementKeys {
  std::int64_t attempt_id = 0;
  std::int64_t stage_id = 0;
  std::optional<std::int64_t> session_id;
  int session_order = 0;
  std::string path;  // its record's folder, relative to the store
  bool superseded = false;
  std::string isolation = {};   // strict, gpu or none; "": unknown
  std::string neighbours = {};  // ids of stages, joined by ' '
  double measured_at = 0;
};

// Runs inside the caller's transaction. Adds output_tps_per_gpu, and the metrics of the stages that
// the measurement depends on (server_start_s, build_s, engine_gib) unless the record has a metric
// of that name. Reads the answers that RECORD names through FILES.
Status ingest(system::Files& files, Statements& statements, Wide& wide, record::Record record,
              const MeasurementKeys& keys);

// The field tables of a record as columns of results.db: lists of columns, and values bound to
// parameters and read from columns; and the metrics of a record as rows.

Status bind_value(sql::Statement& statement, int index, FieldType type, const Value& value);
// The value in COLUMN of STATEMENT's current row.
Value value_at(sql::Statement& statement, int column, FieldType type);

// "block, due_ns, ...": the stored fields, in their order.
template <class T, std::size_t N> std::string columns_of(const std::array<Field<T>, N>& fields) {
  std::string list;
  for (const auto& field : fields) {
    if (field.column.empty()) continue;
    if (!list.empty()) list += ", ";
    list += field.column;
  }
  return list;
}

// The INSERT statement for a row of TABLE, with parameters for KEYS and then for the stored fields.
std::string insert_of(std::string_view table, std::string_view keys, std::string_view columns);
template <class T, std::size_t N>
std::string insert_of(std::string_view table, std::string_view keys,
                      const std::array<Field<T>, N>& fields) {
  return insert_of(table, keys, columns_of(fields));
}

// Inserts a row of `metric` for each of METRICS. Error: measurement ID already has a metric of that
// name.
Status put_metric_rows(Statements& statements, std::int64_t id,
                       std::span<const record::NamedMetric> metrics);
// The metrics of measurement ID.
Result<std::vector<record::NamedMetric>> metric_rows(Statements& statements, std::int64_t id);

// Binds the stored fields to the parameters starting at INDEX.
template <class T, std::size_t N>
Status bind_fields(sql::Statement& statement, int index, const std::array<Field<T>, N>& fields,
                   const std::array<Value, N>& values) {
  for (std::size_t i = 0; i < N; ++i)
    if (!fields[i].column.empty())
      ORCH_TRY(bind_value(statement, index++, fields[i].type, values[i]));
  return {};
}

// The fields of STATEMENT's current row, whose columns are columns_of(FIELDS); fields that are not
// stored are absent.
template <class T, std::size_t N>
std::array<Value, N> fields_at(sql::Statement& statement, const std::array<Field<T>, N>& fields) {
  std::array<Value, N> values;
  int column = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (!fields[i].column.empty()) values[i] = value_at(statement, column++, fields[i].type);
  return values;
}

// "ok = ?, exit_code = ?, ...": the stored fields, in their order.
template <class T, std::size_t N>
std::string assignments_of(const std::array<Field<T>, N>& fields) {
  std::string list;
  for (const auto& field : fields)
    if (!field.column.empty())
      list += (list.empty() ? "" : ", ") + std::string(field.column) + " = ?";
  return list;
}

// Binds the stored fields of OBJECT to the parameters starting at INDEX and moves INDEX past them.
template <Described T> Status bind_object(sql::Statement& statement, int& index, const T& object) {
  for (const Field<T>& field : k_fields<T>)
    if (!field.column.empty())
      ORCH_TRY(bind_value(statement, index++, field.type, field.get(object)));
  return {};
}

// Reads the stored fields of OBJECT from the columns starting at COLUMN. NULL leaves a member
// unchanged.
template <Described T> void read_columns(sql::Statement& statement, int column, T& object) {
  for (const Field<T>& field : k_fields<T>)
    if (!field.column.empty())
      static_cast<void>(field.set(object, value_at(statement, column++, field.type)));
}

// Packs the event gaps of one request as LEB128: seven bits per byte, least significant first, the
// high bit set on every byte except the last of a number. A gap of a few milliseconds takes four
// bytes.

std::vector<std::byte> encode_gaps(std::span<const std::uint64_t> gaps_ns);
// The gaps packed in BLOB; nullopt if it ends inside a number or has a number of more than 64 bits.
std::optional<std::vector<std::uint64_t>> decode_gaps(std::string_view blob);

}  // namespace orch::tables
