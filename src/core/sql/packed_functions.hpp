// SQL functions that compress text and decompress it. They know no table.
#pragma once

struct sqlite3;

namespace orch::sql {

// pack_text(TEXT) compresses with orch::pack(); packed_text(BLOB) is its inverse. Both return NULL
// for NULL; packed_text() fails for any other value.
void add_packed_functions(sqlite3* handle);

}  // namespace orch::sql
