// Describes one point or one stage with everything that the store has about it. Only reads.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "results/query/table.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace orch::report {

// Finds a point or stage by its name or by an unambiguous prefix.

struct Named {
  enum class Kind { point, stage };
  Kind kind;
  std::string name;  // in full
};

// Errors: not_found, with the nearest name; invalid, with a list, if several names begin with
// PREFIX.
Result<Named> find_named(sql::Database& database, const std::string& prefix);

// The first MOST names of points and stages that begin with PREFIX.
Result<std::vector<std::string>> names_beginning(sql::Database& database, const std::string& prefix,
                                                 std::size_t most);
// The ids of at most MOST runs, the newest first.
Result<std::vector<std::string>> run_numbers(sql::Database& database, std::size_t most);

// One point as a page for people: its figures, parameters, caveats, provenance and commands.
// describe() has the same as JSON. Only reads.

struct PageOptions {
  // Show every parameter and metric, and digests in full.
  bool all = false;
};

// POINT is the full name of a point of DATABASE.
Result<std::string> point_page(sql::Database& database, const std::string& point,
                               const PageOptions& options = {});

enum class Shape {
  text,  // for people
  json,  // an object for programs
};

// ROOT is the store's folder, for absolute paths. PAGE applies to the text about a point.
Result<std::string> describe(sql::Database& database, const std::filesystem::path& root,
                             const Named& named, Shape shape, const PageOptions& page = {});

// The views and tables of a database with their columns, types and meanings. The columns are read
// from the database, their meanings from the tables that generated them.

enum class Relations { views, tables };

// The columns "view" or "table", "column", "type" and "meaning"; one row for each column, only of
// the view or table NAME unless it is "". Errors: not_found, with the nearest name.
Result<Table> schema_table(sql::Database& database, Relations which, const std::string& name = "");

// The command line of an earlier run, from which it can be resumed. Reads the store.

struct RunCommand {
  std::int64_t run = 0;
  std::string matrix_file, folder;      // the folder is "" if unknown
  std::vector<std::string> words = {};  // the command line, the program first
};

// The command of RUN, or by default of the newest unfinished run that no later run of its
// experiment has continued. nullopt if there is no such run. Error: not_found if RUN does not
// exist.
Result<std::optional<RunCommand>> read_run_command(sql::Database& database,
                                                   std::optional<std::int64_t> run);

// WORDS, the command line of a run, without the options that select points or stages, add sessions
// or repeat work.
std::vector<std::string> without_choice(const std::vector<std::string>& words);

}  // namespace orch::report
