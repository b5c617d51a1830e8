// The tables of results.db and how an older file becomes the present one. Knows no rows. The tables
// are ours; the views (views.hpp) are what everyone else may rely on.
#pragma once

#include "base/result.hpp"
#include "sql/database.hpp"
#include "system/files.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::tables {

inline constexpr std::int64_t k_application_id = 0x6f726368;  // "orch"

// One step forward. VERSION is what the file is after it.
struct Migration {
  int version;
  std::string_view sql;
};

// Every step ever released, in order: only ever appended to.
std::span<const Migration> migrations();

// Brings DATABASE, whose file is PATH, to the last of STEPS: each step in one transaction of its
// own. Refused: a file of another program, and a file from a newer version of this one. Before the
// first step an existing file is copied beside itself.
Status migrate(sql::Database& database, system::Files& files, const std::string& path,
               std::span<const Migration> steps = migrations());

// For readers: is this file exactly of the present version?
Status check_version(sql::Database& database, const std::string& path);

}  // namespace orch::tables
