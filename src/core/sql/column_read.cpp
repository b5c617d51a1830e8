#include "core/sql/column_read.hpp"

#include "core/base/text.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <set>

namespace orch::sql {

namespace {

struct Sought {
  std::string_view table, column;
  std::set<std::string, std::less<>> views;  // of the database
  bool is_joined = false;  // a USING names the column: any column of the table stands for it
  bool found = false;
};

// SQLite calls it for each access while it prepares a statement. WITHIN is the view that reads, or
// the name of a subquery in WITH.
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

// The position after the quoted text or the comment that begins at AT, or AT where none begins.
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

// The position after the word that begins at AT, or AT where none begins.
std::size_t after_word(std::string_view sql, std::size_t at) {
  while (at < sql.size() && is_word_character(sql[at])) ++at;
  return at;
}

// Calls EACH(begin, end) for each word outside strings and comments until it returns true; whether
// it did.
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

// Whether COLUMN is in the list of a USING. SQLite tells no authorizer of such columns.
bool joins_using(std::string_view sql, std::string_view column) {
  return any_word(sql, [&](std::size_t at, std::size_t end) {
    if (lower(sql.substr(at, end - at)) != "using") return false;
    const std::string_view rest = trim(sql.substr(end));
    return rest.starts_with('(') && names_identifier(rest.substr(0, rest.find(')')), column);
  });
}

}  // namespace

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
