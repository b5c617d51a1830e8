// Rules for names that become columns of tables and views or parts of file names. Knows no place of
// a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::matrix {

// Why NAME cannot be an axis, a parameter or a `let`, with what to write instead; empty when it
// can. It must be a column name, and neither a keyword of SQL, a metric or its statistic, nor a
// column of a view.
std::optional<std::string> refuse_column_name(std::string_view name);

// The same for models, datasets, runners and experiments: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
std::optional<std::string> refuse_free_name(std::string_view name);

}  // namespace orch::matrix
