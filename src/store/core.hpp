// The state that the parts of the store share: lock, connection, statements and wide tables.
// Private to src/store.
#pragma once

#include "sql/database.hpp"
#include "store/host.hpp"
#include "store/layout.hpp"
#include "store/lock.hpp"
#include "store/read_only_snapshot.hpp"
#include "store/record_log.hpp"
#include "store/store.hpp"
#include "tables/statements.hpp"
#include "tables/views.hpp"
#include "tables/wide.hpp"

namespace orch::store {

struct Core {
  Core(Host outside, Layout place, std::optional<Lock> held, sql::Database opened,
       std::optional<ReadOnlySnapshot> found = std::nullopt)
      : host(outside),
        layout(std::move(place)),
        lock(std::move(held)),
        snapshot(std::move(found)),
        database(std::move(opened)) {}

  // The order matters: statements are destroyed before their connection, the connection before the
  // lock and the snapshot.
  Host host;
  Layout layout;
  std::optional<Lock> lock;
  std::optional<ReadOnlySnapshot> snapshot;
  sql::Database database;
  tables::Statements statements{database};
  tables::Wide wide{statements};
  RecordLog records{host.files, layout};
  std::vector<std::string> notices;
  std::int64_t run_id = 0;                         // of the run in progress; 0: none
  std::map<system::FileStamp, Digest> remembered;  // digests not yet written

  bool writes() const { return lock.has_value(); }
  // Adds SENTENCE to the notices unless it is there already.
  void notice(const std::string& sentence);
  // Inside a transaction.
  Status write_remembered();
};

// Runs WORK() in one transaction and commits. After an error the database is unchanged.
template <class Work> Status in_transaction(Core& core, Work work) {
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(core.database));
  Status status = work();
  if (status.ok() && core.wide.changed())
    status = tables::refresh_views(core.statements, core.wide);
  if (status.ok()) status = core.records.write(core.statements);
  if (status.ok()) {
    status = transaction.commit();
    if (status.ok()) return core.records.committed(), status;
  } else {
    auto rolled_back = std::move(transaction);  // rolls back here
  }
  core.records.rolled_back();
  static_cast<void>(core.wide.load());
  return status;
}

}  // namespace orch::store
