// The views of results.db: what users, scripts and other programs may rely on. They are text made
// from the wide columns, and are made anew when that text changes. Knows no rows.
#pragma once

#include "base/result.hpp"
#include "tables/statements.hpp"
#include "tables/wide.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::tables {

struct View {
  std::string_view name;
  std::string_view what;  // one line
};

// In the order in which a list shows them.
std::span<const View> public_views();

// Makes the views that are missing or differ, inside the caller's transaction.
Status refresh_views(Statements& statements, Wide& wide);

}  // namespace orch::tables
