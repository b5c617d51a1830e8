// SQL functions that make text small and back. They know no table.
#pragma once

struct sqlite3;

namespace orch::sql {

// packed_text(BLOB): the text that orch::pack() made it of; NULL of NULL; an error of anything
// else. pack_text(TEXT): the blob.
void add_packed_functions(sqlite3* handle);

}  // namespace orch::sql
