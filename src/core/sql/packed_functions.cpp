#include "core/sql/packed_functions.hpp"

#include <sqlite3.h>

#include "core/base/packed.hpp"

namespace orch::sql {
namespace {

constexpr std::size_t k_most_bytes = std::size_t{1} << 28;
// Views call them even with an untrusted schema: they have no side effects.
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

void add_packed_functions(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "packed_text", 1, k_flags, nullptr, packed_text, nullptr,
                             nullptr, nullptr);
  sqlite3_create_function_v2(handle, "pack_text", 1, k_flags, nullptr, pack_text, nullptr, nullptr,
                             nullptr);
}

}  // namespace orch::sql
