#include "core/sql/database.hpp"

#include "core/sql/packed.hpp"

#include <cassert>
#include <cerrno>
#include <limits>

#include <sqlite3.h>

namespace orch::sql {

namespace {

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::conflict;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::io;
    case SQLITE_INTERRUPT: return ErrorKind::interrupted;
    default: return ErrorKind::invalid;
  }
}

// The errno that CODE corresponds to; 0 if none.
int number_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return ENOSPC;
    case SQLITE_IOERR: return EIO;
    case SQLITE_CANTOPEN: return EACCES;
    case SQLITE_READONLY: return EROFS;
    case SQLITE_NOMEM: return ENOMEM;
    default: return 0;
  }
}

std::string shortened(std::string_view sql) {
  static constexpr std::size_t k_shown = 200;
  if (sql.size() <= k_shown) return std::string(sql);
  return fmt::format("{}...", sql.substr(0, k_shown));
}

Error sqlite_error(sqlite3* handle, int code, std::string_view sql) {
  return Error{.kind = kind_of(code),
               .message = fmt::format("SQLite: {}, in: {}", sqlite3_errmsg(handle), shortened(sql)),
               .where = {},
               .number = number_of(code)};
}

bool fits_int(std::size_t size) {
  return size <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

// Compiles the first statement of SQL and advances SQL beyond it. Null: only white space and
// comments were left.
Result<sqlite3_stmt*> compile_first(sqlite3* handle, std::string_view& sql) {
  if (!fits_int(sql.size())) return invalid("a statement of more than 2 GiB");
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, &rest);
  if (code != SQLITE_OK) return sqlite_error(handle, code, sql);
  const auto read = static_cast<std::size_t>(rest - sql.data());
  if (!statement && read == 0) return invalid("a NUL byte in a statement");
  sql.remove_prefix(read);
  return statement;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  out += quote;
  return out;
}

// PATH with the characters escaped that are special in a URI.
std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#')
      out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out;
}

constexpr std::size_t k_most_bytes = std::size_t{1} << 28;
// The functions have no side effects, so views may call them even with an untrusted schema.
constexpr int k_flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

void packed_text(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(values[0]));
  const std::string_view packed(bytes ? bytes : "",
                                static_cast<std::size_t>(sqlite3_value_bytes(values[0])));
  const Result<std::string> text = unpack(packed, k_most_bytes);
  if (!text.ok())
    return sqlite3_result_error(context, ("packed_text: it " + text.error().message).c_str(), -1);
  sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void pack_text(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string packed =
      pack({bytes ? bytes : "", static_cast<std::size_t>(sqlite3_value_bytes(values[0]))});
  sqlite3_result_blob64(context, packed.data(), packed.size(), SQLITE_TRANSIENT);
}

}  // namespace

// --- Row

int Row::column_count() const { return sqlite3_column_count(statement_); }

std::string Row::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_, column);
  return name ? name : "";
}

bool Row::column_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Row::column_int(int column) const { return sqlite3_column_int64(statement_, column); }

double Row::column_real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Row::column_text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string Row::column_blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (!bytes) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<std::string> Row::column_optional_text(int column) const {
  if (column_null(column)) return std::nullopt;
  return column_text(column);
}

std::optional<std::int64_t> Row::column_optional_int(int column) const {
  if (column_null(column)) return std::nullopt;
  return column_int(column);
}

std::optional<double> Row::column_optional_real(int column) const {
  if (column_null(column)) return std::nullopt;
  return column_real(column);
}

Cell Row::cell(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER: return column_int(column);
    case SQLITE_FLOAT: return column_real(column);
    case SQLITE_TEXT: return column_text(column);
    case SQLITE_BLOB: return Blob{column_blob(column)};
    default: return std::monostate{};
  }
}

// --- Statement

Statement::Statement(Statement&& other) noexcept : Row(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Status Statement::check(int code) const {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return {};
  const char* sql = sqlite3_sql(statement_);
  return sqlite_error(sqlite3_db_handle(statement_), code, sql ? sql : "");
}

Status Statement::expect_parameters(int given) const {
  const int wanted = sqlite3_bind_parameter_count(statement_);
  if (given == wanted) return {};
  return Error{.kind = ErrorKind::internal,
               .message = fmt::format("{} values for {} parameters in: {}", given, wanted,
                                      shortened(sqlite3_sql(statement_))),
               .where = {}};
}

Status Statement::bind_null(int index) { return check(sqlite3_bind_null(statement_, index)); }

Status Statement::bind_integer(int index, std::int64_t value) {
  return check(sqlite3_bind_int64(statement_, index, value));
}

Status Statement::bind_real(int index, double value) {
  return check(sqlite3_bind_double(statement_, index, value));
}

Status Statement::bind_text(int index, std::string_view value) {
  // A null pointer would bind NULL, and an empty view may hold one.
  const char* text = value.empty() ? "" : value.data();
  return check(
      sqlite3_bind_text64(statement_, index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Status Statement::bind_blob(int index, std::span<const std::byte> value) {
  if (value.empty()) return check(sqlite3_bind_zeroblob(statement_, index, 0));
  return check(
      sqlite3_bind_blob64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT));
}

Status Statement::bind_kept(int index, const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  if (!text) return bind(index, cell);
  return check(sqlite3_bind_text64(statement_, index, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8));
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  ORCH_TRY(check(code));
  return code == SQLITE_ROW;
}

Status Statement::run() {
  const int code = sqlite3_step(statement_);
  Status status = check(code);
  sqlite3_reset(statement_);
  return status;
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::read_only() const { return sqlite3_stmt_readonly(statement_) != 0; }

// --- Database

Result<Database> Database::open(const std::string& path, const OpenOptions& options) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (options.access) {
    case Access::read_only: flags |= SQLITE_OPEN_READONLY; break;
    case Access::immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI; break;
    case Access::read_write: flags |= SQLITE_OPEN_READWRITE; break;
    case Access::create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
  }
  sqlite3* handle = nullptr;
  const std::string name = options.access == Access::immutable
                               ? fmt::format("file:{}?immutable=1", escaped(path))
                               : path;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  Database database(handle);
  if (code != SQLITE_OK)
    return Error{.kind = kind_of(code),
                 .message = fmt::format("cannot open the database {}: {}", path,
                                        handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
                 .where = {},
                 .number = number_of(code)};
  sqlite3_busy_timeout(handle, options.busy_timeout_ms);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  if (options.access == Access::read_only)
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  add_packed_functions(handle);
  return database;
}

Database::Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Database::~Database() { sqlite3_close_v2(handle_); }

Status Database::execute(std::string_view sql) {
  while (!sql.empty()) {
    ORCH_ASSIGN(sqlite3_stmt * compiled, compile_first(handle_, sql));
    if (!compiled) continue;
    Statement statement(compiled);
    while (true) {
      ORCH_ASSIGN(const bool row, statement.step());
      if (!row) break;
    }
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  std::string_view rest = sql;
  ORCH_ASSIGN(sqlite3_stmt * compiled, compile_first(handle_, rest));
  if (!compiled) return invalid(fmt::format("no statement in '{}'", shortened(sql)));
  Statement statement(compiled);
  while (!rest.empty()) {
    ORCH_ASSIGN(sqlite3_stmt * second, compile_first(handle_, rest));
    if (!second) continue;
    sqlite3_finalize(second);
    return invalid(fmt::format("more than one statement in: {}", shortened(sql)));
  }
  return statement;
}

Result<Statement> Database::first_row(std::string_view sql) {
  ORCH_ASSIGN(Statement statement, prepare(sql));
  ORCH_ASSIGN(const bool row, statement.step());
  if (row) return statement;
  return Error{.kind = ErrorKind::not_found,
               .message = fmt::format("no row from: {}", shortened(sql)),
               .where = {}};
}

Result<std::int64_t> Database::query_int(std::string_view sql) {
  ORCH_ASSIGN(const Statement row, first_row(sql));
  return row.column_int(0);
}

Result<std::string> Database::query_text(std::string_view sql) {
  ORCH_ASSIGN(const Statement row, first_row(sql));
  return row.column_text(0);
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

// --- Transaction

Result<Transaction> Transaction::begin(Database& database) {
  ORCH_TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // SQLite itself may have rolled back already (disk full, I/O error).
  if (database_ && database_->in_transaction()) static_cast<void>(database_->execute("ROLLBACK"));
}

Status Transaction::commit() {
  assert(database_);
  Database* database = std::exchange(database_, nullptr);
  Status status = database->execute("COMMIT");
  if (!status && database->in_transaction()) static_cast<void>(database->execute("ROLLBACK"));
  return status;
}

std::string quote_name(std::string_view name) { return in_quotes(name, '"'); }

std::string quote_text(std::string_view text) { return in_quotes(text, '\''); }

void add_packed_functions(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "packed_text", 1, k_flags, nullptr, packed_text, nullptr,
                             nullptr, nullptr);
  sqlite3_create_function_v2(handle, "pack_text", 1, k_flags, nullptr, pack_text, nullptr, nullptr,
                             nullptr);
}

}  // namespace orch::sql
