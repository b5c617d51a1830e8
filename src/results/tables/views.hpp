// The views of results.db, the stable interface for users, scripts and other programs. Their SQL is
// generated from the wide columns, and a view is replaced when its SQL changes. Knows no rows.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::tables {

struct View {
  std::string_view name;
  std::string_view what;  // one line
};

// In display order.
std::span<const View> public_views();

// Creates the views that are missing and replaces those that differ, inside the caller's
// transaction.
Status refresh_views(Statements& statements, Wide& wide);

}  // namespace orch::tables
