#include "results/score/reference_files.hpp"

#include "core/base/digest.hpp"
#include "bench/prompt/prompt_rows.hpp"
#include "results/tables/statements.hpp"

namespace orch::score {

Result<const ReferenceFile*> ReferenceFiles::of(const Target& target) {
  if (!named_.empty()) return read(named_, "");
  if (target.dataset_sha256.empty())
    return invalid(fmt::format(
        "{}: its prompts are of no dataset, so that nothing says what is right; give --references "
        "FILE, such as the answers of another engine, which --write-references writes",
        target.point));
  return of_dataset(target);
}

Result<const ReferenceFile*> ReferenceFiles::of_dataset(const Target& target) {
  tables::Statements statements(database_);
  std::vector<std::string> paths;
  ORCH_TRY(statements.rows(
      "SELECT path FROM file_identity WHERE sha256 = ? ORDER BY path",
      [&](sql::Statement& row) { paths.push_back(row.column_text(0)); }, target.dataset_sha256));
  for (const std::string& path : paths) {
    const auto found = read(path, target.dataset_sha256);
    if (found || found.error().kind == ErrorKind::invalid) return found;
  }
  return Error{
      .kind = ErrorKind::not_found,
      .message = fmt::format(
          "{}: the dataset that its prompts come from (sha256 {}) is not {} any more; name "
          "a copy of it with --references FILE",
          target.point, target.dataset_sha256.substr(0, 12),
          paths.empty() ? "known to this store" : "in " + paths.front()),
      .where = {}};
}

// SHA256: what the file must have; "" for any.
Result<const ReferenceFile*> ReferenceFiles::read(const std::string& path,
                                                  const std::string& sha256) {
  const auto known = read_.find(path);
  if (known != read_.end()) return &known->second;
  ORCH_ASSIGN(const std::string text, files_.read_text(path, prompt::k_largest_prompt_file));
  const std::string digest = orch::sha256(text).hex();
  if (!sha256.empty() && digest != sha256)
    return Error{.kind = ErrorKind::not_found, .message = path + " was changed", .where = {}};
  ORCH_ASSIGN(References references, References::read(text, path));
  return &read_
              .emplace(path,
                       ReferenceFile{
                           .path = path, .sha256 = digest, .references = std::move(references)})
              .first->second;
}

}  // namespace orch::score
