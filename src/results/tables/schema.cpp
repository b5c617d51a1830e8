#include "results/tables/schema.hpp"

#include "os/system/kill_point.hpp"

namespace orch::tables {

namespace {

Error wrong_file(const std::string& path, std::string_view why) {
  return invalid(fmt::format("{}: {}", path, why));
}

struct Identity {
  std::int64_t application, version, objects;
};

Result<Identity> identity(sql::Database& database) {
  ORCH_ASSIGN(const std::int64_t application, database.query_int("PRAGMA application_id"));
  ORCH_ASSIGN(const std::int64_t version, database.query_int("PRAGMA user_version"));
  ORCH_ASSIGN(const std::int64_t objects, database.query_int("SELECT count(*) FROM sqlite_schema"));
  return Identity{application, version, objects};
}

Status refuse_foreign(const Identity& file, const std::string& path, int newest) {
  if (file.application != k_application_id)
    return wrong_file(
        path, "is a database of another program; move it away or name another store with --store");
  if (file.version > newest)
    return wrong_file(
        path, fmt::format("has schema version {}, this program knows versions up to {}: use the "
                          "newer orchestrate that wrote it, or name another store with --store",
                          file.version, newest));
  return {};
}

}  // namespace

Status migrate(sql::Database& database, system::Files& files, const std::string& path,
               std::span<const Migration> steps, Backup backup) {
  ORCH_ASSIGN(const Identity file, identity(database));
  const bool fresh = file.objects == 0 && file.version == 0;
  const int newest = steps.back().version;
  if (!fresh) ORCH_TRY(refuse_foreign(file, path, newest));
  if (file.version == newest) return {};
  if (!fresh && backup == Backup::made) {
    const std::string copy = fmt::format("{}.version-{}", path, file.version);
    // An earlier migration may have failed after its backup. VACUUM reports a file that cannot be
    // removed.
    static_cast<void>(files.remove_tree(copy).ok());
    ORCH_TRY(database.execute("VACUUM INTO " + sql::quote_text(copy)));
    system::kill_point("migration-backup-made");
  }
  for (const Migration& step : steps) {
    if (step.version <= file.version) continue;
    ORCH_ASSIGN(auto transaction, sql::Transaction::begin(database));
    system::kill_point("migration-step-begun");
    if (auto status = database.execute(step.sql); !status.ok())
      return status.error().within(fmt::format(
          "{}: migrating to schema version {}; nothing was changed", path, step.version));
    ORCH_TRY(database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                          k_application_id, step.version)));
    system::kill_point("migration-step-done");
    ORCH_TRY(transaction.commit());
    system::kill_point("migration-committed");
  }
  return {};
}

Result<bool> is_older(sql::Database& database, const std::string& path) {
  ORCH_ASSIGN(const Identity file, identity(database));
  const int newest = migrations().back().version;
  // A run that found no space for its first table leaves one.
  if (file.objects == 0 && file.application == 0)
    return Error{.kind = ErrorKind::not_found,
                 .message = fmt::format("{} is empty: no run has recorded anything in it", path),
                 .where = {}};
  ORCH_TRY(refuse_foreign(file, path, newest));
  return file.version < newest;
}

}  // namespace orch::tables
