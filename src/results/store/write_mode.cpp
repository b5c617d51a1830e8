#include "results/store/write_mode.hpp"

#include <algorithm>

namespace orch::store {

namespace {

// A reader makes the writer of a rollback journal wait.
constexpr int k_patience_ms = 60'000;

// The write-ahead log grows to this size before it is written into the database. On a small disk it
// must leave room for the rest.
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
  return Error{.kind = ErrorKind::io,
               .message = fmt::format("{}: {} (it uses '{}')", core.layout.database().string(),
                                      why_not, set),
               .where = {}};
}

std::string notice_of(const Core& core) {
  const std::string root = core.layout.root.string();
  const auto on = core.host.files.file_system(root);
  return fmt::format(
      "{} {}: using SQLite's rollback journal, which is slower and makes readers wait", root,
      on.is_shared ? fmt::format("is on a file system that other hosts may use ({})", on.name)
      : core.host.is_shared
          ? "is shared with other hosts, as the site file says"
          : "is shared with other hosts, as its folder lease/ says (remove that when no other host "
            "uses it any more)");
}

Status mark(Core& core, const std::string& nonce) {
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(core.database));
  ORCH_TRY(core.database.execute("DELETE FROM lease_owner"));
  ORCH_TRY(core.statements.run("INSERT INTO lease_owner (nonce) VALUES (?)", nonce));
  return transaction.commit();
}

// SQLite's locks of a process that was stopped in the middle of a write stay until it ends.
Status busy_or(const Core& core, const Status& status) {
  if (status || status.error().kind != ErrorKind::conflict) return status;
  return Error{.kind = ErrorKind::conflict,
               .message = fmt::format(
                   "{} is locked by a process that reads it, or that was stopped while it wrote: "
                   "end that process and run again ({})",
                   core.layout.database().string(), status.error().message),
               .where = {}};
}

Status share(Core& core, const lease::Lease& lease) {
  ORCH_TRY(set_journal(core, "delete", "SQLite cannot leave its write-ahead log"));
  // The next read gives the exclusive lock back.
  ORCH_TRY(core.database.execute(fmt::format(
      "PRAGMA synchronous = EXTRA; PRAGMA locking_mode = NORMAL; PRAGMA busy_timeout = {}; SELECT "
      "count(*) FROM sqlite_schema",
      k_patience_ms)));
  ORCH_TRY(mark(core, lease.owner().nonce));
  core.notice(notice_of(core));
  return {};
}

}  // namespace

// A log of a host that died, or of a time when the store was local, is then read without shared
// memory.
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
  return Error{.kind = ErrorKind::conflict,
               .message = fmt::format("the store {} was taken over by another process while this "
                                      "one gave no sign of life; it writes nothing more",
                                      core.layout.root.string()),
               .where = {}};
}

}  // namespace orch::store
