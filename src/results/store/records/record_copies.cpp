#include "results/store/records/record_copies.hpp"

#include "core/base/packed.hpp"
#include "core/base/text.hpp"

#include <vector>

namespace orch::store {

namespace {

// SQLite limits the size of a value, and a piece is unpacked as a whole.
constexpr std::size_t k_piece_bytes = std::size_t{16} << 20;
constexpr std::size_t k_most_piece_bytes = std::size_t{1} << 30;

}  // namespace

Status RecordCopies::add(const std::string& file, std::int64_t from, std::string_view text) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, k_piece_bytes);
    ORCH_TRY(statements_.run(
        "INSERT INTO record_copy (path, from_byte, bytes, piece) VALUES (?, ?, ?, ?)", file, from,
        piece.size(), sql::Cell(sql::Blob{pack(piece)})));
    from += static_cast<std::int64_t>(piece.size());
    text.remove_prefix(piece.size());
  }
  return {};
}

Result<std::int64_t> RecordCopies::size(const std::string& file) {
  ORCH_ASSIGN(
      const auto size,
      statements_.integer("SELECT max(from_byte + bytes) FROM record_copy WHERE path = ?", file));
  return size.value_or(0);
}

Result<std::string> RecordCopies::read(const std::string& file, std::int64_t from) {
  std::string text;
  std::int64_t at = -1;  // the byte at which TEXT begins
  Status unpacked;
  ORCH_TRY(statements_.rows(
      "SELECT from_byte, piece FROM record_copy WHERE path = ? AND from_byte + bytes > ? ORDER BY "
      "from_byte",
      [&](sql::Statement& row) {
        if (at < 0) at = row.column_int(0);
        const auto piece = unpack(row.column_blob(1), k_most_piece_bytes);
        if (!piece) unpacked = piece.error().within(fmt::format("the copy of records/{}", file));
        else text += *piece;
      },
      file, from));
  ORCH_TRY(unpacked);
  return at < from && at >= 0 ? text.substr(static_cast<std::size_t>(from - at)) : text;
}

Status RecordCopies::fold() {
  std::vector<std::string> files;
  ORCH_TRY(statements_.rows(
      "SELECT path FROM record_copy WHERE bytes < ? GROUP BY path HAVING count(*) > 1",
      [&](sql::Statement& row) { files.push_back(row.column_text(0)); }, k_piece_bytes));
  for (const std::string& file : files) ORCH_TRY(fold(file));
  return {};
}

Status RecordCopies::fold(const std::string& file) {
  // Full pieces stay as they are.
  ORCH_ASSIGN(
      const auto from,
      statements_.integer("SELECT min(from_byte) FROM record_copy WHERE path = ? AND bytes < ?",
                          file, k_piece_bytes));
  ORCH_ASSIGN(const std::string text, read(file, from.value_or(0)));
  ORCH_TRY(statements_.run("DELETE FROM record_copy WHERE path = ? AND from_byte >= ?", file,
                           from.value_or(0)));
  return add(file, from.value_or(0), text);
}

}  // namespace orch::store
