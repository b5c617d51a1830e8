#include "core/sql/query_guard.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <set>

#include <sqlite3.h>

namespace orch::sql {

namespace {

using Clock = std::chrono::steady_clock;

// Virtual machine instructions between two looks at the clock: about a millisecond.
constexpr int k_instructions = 20'000;
// Far longer than any query; an infinite limit would overflow.
constexpr double k_most_seconds = 1e8;

Clock::time_point end_of(double seconds) {
  const std::chrono::duration<double> time(std::min(seconds, k_most_seconds));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

struct Sought {
  std::string_view table, column;
  std::set<std::string, std::less<>> views;  // of the database
  bool is_joined = false;  // a USING names the column: reading any column of the table counts
  bool found = false;
};

// SQLite's authorizer, called for each access while a statement is prepared. WITHIN is the view
// that reads, or the name of a subquery in WITH.
int authorize(void* sought, int action, const char* table, const char* column, const char*,
              const char* within) {
  auto& one = *static_cast<Sought*>(sought);
  const bool by_view = within && one.views.contains(std::string_view(within));
  if (action == SQLITE_READ && !by_view && table && column && one.table == table)
    one.found = one.found || one.is_joined || lower(column) == one.column;
  return SQLITE_OK;
}

std::set<std::string, std::less<>> views_of(Database& database) {
  std::set<std::string, std::less<>> names;
  auto row = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'");
  while (row) {
    const auto more = row->step();
    if (!more || !*more) break;
    names.insert(row->column_text(0));
  }
  return names;
}

bool is_word_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// The position after the quoted text or comment that begins at AT, or AT if none does.
std::size_t after_unread(std::string_view sql, std::size_t at) {
  const auto after = [&](std::string_view end, std::size_t from) {
    const auto found = sql.find(end, from);
    return found == std::string_view::npos ? sql.size() : found + end.size();
  };
  if (sql[at] == '\'') return after("'", at + 1);
  if (sql.substr(at).starts_with("--")) return after("\n", at);
  if (sql.substr(at).starts_with("/*")) return after("*/", at + 2);
  return at;
}

// The position after the word that begins at AT, or AT if none does.
std::size_t after_word(std::string_view sql, std::size_t at) {
  while (at < sql.size() && is_word_character(sql[at])) ++at;
  return at;
}

// Calls EACH(begin, end) for each word outside strings and comments until it returns true; returns
// whether it did.
template <class Each> bool any_word(std::string_view sql, Each each) {
  for (std::size_t at = 0; at < sql.size();) {
    if (const std::size_t next = after_unread(sql, at); next != at) {
      at = next;
      continue;
    }
    const std::size_t end = after_word(sql, at);
    if (end > at && each(at, end)) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

// Whether COLUMN is in the list of a USING. SQLite does not report such columns to the authorizer.
bool joins_using(std::string_view sql, std::string_view column) {
  return any_word(sql, [&](std::size_t at, std::size_t end) {
    if (lower(sql.substr(at, end - at)) != "using") return false;
    const std::string_view rest = trim(sql.substr(end));
    return rest.starts_with('(') && names_identifier(rest.substr(0, rest.find(')')), column);
  });
}

}  // namespace

QueryGuard::QueryGuard(Database& database, const QueryLimits& limits)
    : database_(database), limits_(limits), end_(end_of(limits.seconds)) {
  if (limits_.seconds > 0)
    sqlite3_progress_handler(database_.handle(), k_instructions, has_ended, this);
  if (limits_.bytes > 0)
    heap_before_ = sqlite3_hard_heap_limit64(static_cast<std::int64_t>(limits_.bytes));
}

QueryGuard::~QueryGuard() {
  if (limits_.bytes > 0) sqlite3_hard_heap_limit64(heap_before_);
  if (limits_.seconds > 0) sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
}

int QueryGuard::has_ended(void* guard) {
  auto& self = *static_cast<QueryGuard*>(guard);
  self.late_ = Clock::now() >= self.end_;
  return self.late_ ? 1 : 0;
}

bool QueryGuard::keep(std::uint64_t bytes) {
  kept_ += bytes;
  return limits_.bytes == 0 ||
         kept_ + static_cast<std::uint64_t>(sqlite3_memory_used()) <= limits_.bytes;
}

bool QueryGuard::is_out_of_time(const Error& error) const {
  return late_ && error.kind == ErrorKind::interrupted;
}

bool QueryGuard::is_out_of_memory(const Error& error) { return error.number == ENOMEM; }

Error QueryGuard::explained(Error error) const {
  const bool late = is_out_of_time(error);
  if (!late && !is_out_of_memory(error)) return error;
  const std::string why =
      late ? fmt::format(
                 "the SQL took longer than {} s; narrow it, or raise the limit with "
                 "ORCHESTRATE_SQL_TIMEOUT=SECONDS (0: none)",
                 limits_.seconds)
           : fmt::format("the SQL needs more than {} of memory; narrow it",
                         human_bytes(limits_.bytes));
  // "SQLite: interrupted, in: SQL" becomes "WHY: SQL".
  error.message.replace(0, error.message.find(", in: ") + std::string_view(", in").size(), why);
  error.kind = late ? ErrorKind::timeout : ErrorKind::invalid;
  return error;
}

QueryLimits usual_limits() {
  constexpr double k_usual_s = 60;
  const char* asked = std::getenv("ORCHESTRATE_SQL_TIMEOUT");
  const auto seconds = asked == nullptr ? std::nullopt : to_real(asked);
  return {.seconds = seconds && *seconds >= 0 ? *seconds : k_usual_s,
          .bytes = std::uint64_t{512} << 20};
}

bool reads_column(Database& database, std::string_view sql, std::string_view table,
                  std::string_view column) {
  Sought sought{table, column, views_of(database), joins_using(sql, column)};
  sqlite3_set_authorizer(database.handle(), authorize, &sought);
  const bool prepared = database.prepare(sql).ok();
  sqlite3_set_authorizer(database.handle(), nullptr, nullptr);
  return prepared && sought.found;
}

bool names_identifier(std::string_view sql, std::string_view word) {
  return any_word(sql, [&](std::size_t at, std::size_t end) {
    return lower(sql.substr(at, end - at)) == word;
  });
}

std::vector<std::string> words_of(std::string_view sql) {
  std::vector<std::string> words;
  any_word(sql, [&](std::size_t at, std::size_t end) {
    words.push_back(lower(sql.substr(at, end - at)));
    return false;
  });
  return words;
}

}  // namespace orch::sql
