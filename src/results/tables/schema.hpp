// The tables of results.db and the migrations from older versions. The tables are internal; the
// views (views.hpp) are the stable interface.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "os/system/files.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orch::tables {

inline constexpr std::int64_t k_application_id = 0x6f726368;  // "orch"

// One migration step, to schema version VERSION.
struct Migration {
  int version;
  std::string_view sql;
};

// All released steps in order. Released steps never change.
std::span<const Migration> migrations();

// Migrates DATABASE, whose file is PATH, to the version of the last of STEPS, each step in its own
// transaction. Rejects a file of another program or of a newer version. With Backup::made, first
// backs up an existing file beside itself.
enum class Backup { made, not_needed };
Status migrate(sql::Database& database, system::Files& files, const std::string& path,
               std::span<const Migration> steps = migrations(), Backup backup = Backup::made);

// For readers: whether the file is older than the current version. Rejects a file of another
// program, of a newer version, or without tables.
Result<bool> is_older(sql::Database& database, const std::string& path);

// The tables derived from measurements for the views `results` and `results_by_tool`, and the
// triggers that note which of their rows are outdated.

std::string_view derived_tables_migration();

}  // namespace orch::tables
