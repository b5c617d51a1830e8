#include "results/store/core.hpp"

#include "results/store/write_mode.hpp"
#include "os/system/file_stamp.hpp"
#include "results/tables/results.hpp"

namespace orch::store {

namespace {

// A database that somebody removed or replaced takes writes that nobody will ever read.
Status check_in_place(const Core& core) {
  if (core.inode == 0) return {};  // a new database that nobody else knows
  const std::string path = core.layout.database().string();
  const auto stamp = system::FileStamp::of(path);
  if (stamp ? stamp->inode == core.inode : stamp.error().kind != ErrorKind::not_found) return {};
  return Error{.kind = ErrorKind::io,
               .message = fmt::format("{} was removed or replaced while it was in use; its content "
                                      "is in the records: `orchestrate verify --rebuild` rebuilds "
                                      "it from them",
                                      path),
               .where = {}};
}

// A commit that fails with one of these did not happen.
bool is_certain(const Error& error) { return error.kind != ErrorKind::io || is_full(error); }

Status commit(Core& core, sql::Transaction& transaction) {
  Status committed = transaction.commit();
  if (committed.ok()) {
    committed = core.records.wait_synced();
    if (committed.ok()) {
      core.records.committed();
      return check_in_place(core);
    }
  } else if (is_certain(committed.error())) {
    const Status cut = core.records.rolled_back();
    if (!cut.ok()) core.broken = cut.error();
    return committed;
  }
  core.records.abandon();
  core.broken = committed.error();
  return committed;
}

Status try_transaction(Core& core, const std::function<Status()>& work) {
  if (core.broken) return *core.broken;
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(core.database));
  Status status = check_owner(core);
  if (status.ok()) status = work();
  if (status.ok()) status = tables::derive_results(core.statements, core.wide);
  if (status.ok() && core.wide.changed())
    status = tables::refresh_views(core.statements, core.wide);
  if (status.ok()) status = core.records.write();
  if (status.ok()) {
    status = commit(core, transaction);
    if (status.ok()) return status;
  } else {
    { const auto rolled_back = std::move(transaction); }  // rolls back here
    if (const Status cut = core.records.rolled_back(); !cut.ok()) core.broken = cut.error();
  }
  static_cast<void>(core.wide.load());
  return status;
}

// Makes room on a full disk. Whether there is more than before.
bool make_room(Core& core) {
  const bool released = core.ballast.release();
  if (released) static_cast<void>(core.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  return released;
}

}  // namespace

Error corruption_error_or(const Error& error, system::Files& files, const Layout& layout) {
  static constexpr std::string_view k_signs[] = {"SQLite: file is not a database",
                                                 "SQLite: database disk image is malformed",
                                                 "SQLite: malformed database schema"};
  if (std::ranges::none_of(k_signs, [&](std::string_view sign) {
        return error.message.find(sign) != std::string::npos;
      }))
    return error;
  const bool can = !record_files(files, layout).empty();
  return {.kind = ErrorKind::io,
          .message = fmt::format(
              "{} is damaged: {}", layout.database().string(),
              can ? "`orchestrate verify --rebuild` rebuilds it from its records"
                  : "restore it from a backup, as there are no records to rebuild it from"),
          .where = {}};
}

void Core::notice(const std::string& sentence) {
  if (std::ranges::find(notices, sentence) == notices.end()) notices.push_back(sentence);
}

Status Core::write_remembered() {
  for (const auto& [stamp, digest] : remembered)
    ORCH_TRY(statements.run(
        "INSERT OR REPLACE INTO file_identity (path, size, mtime_ns, ctime_ns, inode, sha256) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        stamp.path, stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, digest.hex()));
  return {};
}

Status Core::repair_records(bool all) {
  ORCH_TRY(all ? records.repair(repaired) : records.open(repaired));
  for (const std::string& sentence : repaired) notice(sentence);
  return {};
}

Status in_transaction(Core& core, const std::function<Status()>& work) {
  Status status = try_transaction(core, work);
  if (!status.ok() && is_full(status.error()) && !core.broken && make_room(core))
    status = try_transaction(core, work);
  else if (status.ok()) core.ballast.keep();  // for the next full disk
  return status.ok() ? status : corruption_error_or(status.error(), core.host.files, core.layout);
}

}  // namespace orch::store
