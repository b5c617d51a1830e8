#include "results/store/core.hpp"

#include "os/system/file_lock.hpp"
#include "results/tables/results.hpp"

namespace orch::store {

namespace {

// Fails if the database was removed or replaced: writes to it would succeed but never be read.
Status check_in_place(const Core& core) {
  if (core.inode == 0) return {};  // a new database, not visible to others yet
  const std::string path = core.layout.database().string();
  const auto stamp = system::FileStamp::of(path);
  if (stamp ? stamp->inode == core.inode : stamp.error().kind != ErrorKind::not_found) return {};
  return Error{ErrorKind::io,
               fmt::format("{} was removed or replaced while it was in use; its content "
                           "is in the records: `orchestrate verify --rebuild` rebuilds "
                           "it from them",
                           path)};
}

// Whether a commit that failed with ERROR certainly did not happen.
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

// Frees space on a full disk. Returns whether there was any to free.
bool make_room(Core& core) {
  const bool released = core.ballast.release();
  if (released) static_cast<void>(core.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  return released;
}

// How long a writer with a rollback journal waits for readers, which block it.
constexpr int k_patience_ms = 60'000;

// Limits the size to which the write-ahead log grows before it is written to the database: on a
// small disk it must leave space for other files.
Status limit_log(Core& core) {
  static constexpr std::uint64_t k_page_bytes = 4096, k_log_share = 64, k_least_pages = 25,
                                 k_most_pages = 1000;
  const auto space = core.host.files.free_space(core.layout.root.string());
  const std::uint64_t pages =
      space ? std::clamp(space->bytes / k_log_share / k_page_bytes, k_least_pages, k_most_pages)
            : k_most_pages;
  return core.database.execute(
      fmt::format("PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {}", pages,
                  pages * k_page_bytes));
}

const lease::Lease* lease_of(const Core& core) { return core.lock ? core.lock->lease() : nullptr; }

Status set_journal(Core& core, std::string_view mode, std::string_view why_not) {
  ORCH_ASSIGN(const std::string set,
              core.database.query_text(fmt::format("PRAGMA journal_mode = {}", mode)));
  if (set == mode) return {};
  return Error{ErrorKind::io,
               fmt::format("{}: {} (it uses '{}')", core.layout.database().string(), why_not, set)};
}

std::string notice_of(const Core& core) {
  const std::string root = core.layout.root.string();
  const auto on = core.host.files.file_system(root);
  return fmt::format(
      "{} {}: using SQLite's rollback journal, which is slower and makes readers wait", root,
      on.is_shared ? fmt::format("is on a file system that other hosts may use ({})", on.name)
      : core.host.is_shared ? "is shared with other hosts, as the site file says"
                            : "is shared with other hosts, as its folder lease/ says (remove "
                              "lease/ once no other host uses the store)");
}

Status mark(Core& core, const std::string& nonce) {
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(core.database));
  ORCH_TRY(core.database.execute("DELETE FROM lease_owner"));
  ORCH_TRY(core.statements.run("INSERT INTO lease_owner (nonce) VALUES (?)", nonce));
  return transaction.commit();
}

// Explains STATUS if SQLite's lock is taken. The locks of a process that was suspended in the
// middle of a write stay until the process ends.
Status busy_or(const Core& core, const Status& status) {
  if (status || status.error().kind != ErrorKind::conflict) return status;
  return Error{
      ErrorKind::conflict,
      fmt::format("{} is locked by a process that reads it, or that was stopped while it wrote: "
                  "end that process and run again ({})",
                  core.layout.database().string(), status.error().message)};
}

Status share(Core& core, const lease::Lease& lease) {
  ORCH_TRY(set_journal(core, "delete", "SQLite cannot leave its write-ahead log"));
  // The next read releases the exclusive lock.
  ORCH_TRY(core.database.execute(fmt::format(
      "PRAGMA synchronous = EXTRA; PRAGMA locking_mode = NORMAL; PRAGMA busy_timeout = {}; SELECT "
      "count(*) FROM sqlite_schema",
      k_patience_ms)));
  ORCH_TRY(mark(core, lease.owner().nonce));
  core.notice(notice_of(core));
  return {};
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
  return Error{
      ErrorKind::io,
      fmt::format("{} is damaged: {}", layout.database().string(),
                  can ? "`orchestrate verify --rebuild` rebuilds it from its records"
                      : "restore it from a backup, as there are no records to rebuild it from")};
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
  else if (status.ok()) core.ballast.keep();  // ready for the next full disk
  return status.ok() ? status : corruption_error_or(status.error(), core.host.files, core.layout);
}

// For a store that several hosts may use: makes SQLite read a write-ahead log without shared
// memory. A host that died may have left the log, or it is from a time when the store was local.
Status begin_write_mode(Core& core) {
  if (!lease_of(core)) return {};
  return busy_or(core, core.database.execute("PRAGMA mmap_size = 0; PRAGMA locking_mode = "
                                             "EXCLUSIVE; SELECT count(*) FROM sqlite_schema"));
}

Status set_write_mode(Core& core) {
  if (const auto* lease = lease_of(core)) return busy_or(core, share(core, *lease));
  ORCH_TRY(set_journal(core, "wal", "SQLite cannot use its write-ahead log here"));
  ORCH_TRY(core.database.execute("PRAGMA synchronous = FULL"));
  return limit_log(core);
}

Status check_owner(Core& core) {
  const auto* lease = lease_of(core);
  if (!lease) return {};
  ORCH_TRY(lease->check());
  ORCH_ASSIGN(const auto nonce, core.statements.text("SELECT nonce FROM lease_owner"));
  if (nonce == lease->owner().nonce) return {};
  return Error{ErrorKind::conflict,
               fmt::format("the store {} was taken over by another process while this "
                           "one did not respond; this one writes nothing more",
                           core.layout.root.string())};
}

ReadOnlySnapshot::~ReadOnlySnapshot() {
  if (database_.empty()) return;
  const auto log = files_->stat(database_ + "-wal");
  if (!log || log->bytes != 0) return;
  // SQLite removes the files, under its own lock, when the last connection closes. A connection
  // must have read something for that.
  auto last =
      sql::Database::open(database_, {.access = sql::Access::read_write, .busy_timeout_ms = 0});
  if (last.ok()) static_cast<void>(last->query_int("PRAGMA schema_version").ok());
}

}  // namespace orch::store
