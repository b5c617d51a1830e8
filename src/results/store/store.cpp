#include "results/store/store.hpp"

#include "core/base/text.hpp"
#include "os/system/files.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/history.hpp"
#include "results/store/inbox.hpp"
#include "results/store/plan_record.hpp"
#include "results/store/run_journal.hpp"
#include "results/tables/results.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/views.hpp"

#include <unistd.h>

namespace orch::store {

namespace {

// Fails if a new store would be created inside the files of another store.
Status check_place_of_store(const std::filesystem::path& root) {
  std::error_code code;
  // A store that lost its database is not new: opening it reports how to rebuild the database.
  const Layout own{root};
  const bool is_there =
      std::filesystem::exists(own.database(), code) || std::filesystem::exists(own.records(), code);
  return is_there ? Status() : check_output(root);
}

Status make_folders(system::Files& files, const Layout& layout) {
  for (const auto& folder : {layout.root, layout.artifacts(), layout.logs(), layout.inbox(),
                             layout.records(), layout.reports()})
    ORCH_TRY(files.make_folder(folder.string()));
  return {};
}

// Rejects a pipe, for instance: opening it would block until its other end is opened.
Status refuse_other_than_file(system::Files& files, const Layout& layout) {
  const auto facts = files.stat(layout.database().string());
  if (!facts || facts->is_regular) return {};
  return invalid(
      fmt::format("{} is not a regular file; move it away or name another store with --store",
                  layout.database().string()));
}

// The views and tables derived from the rows, as this program defines them.
Status derive(Core& core) {
  ORCH_TRY(core.wide.load());
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(core.database));
  ORCH_TRY(core.wide.complete());
  ORCH_TRY(tables::derive_results(core.statements, core.wide));
  ORCH_TRY(tables::refresh_views(core.statements, core.wide));
  return transaction.commit();
}

Status prepare_for_writing(Core& core) {
  sql::Database& database = core.database;
  const std::string path = core.layout.database().string();
  ORCH_TRY(database.execute("PRAGMA trusted_schema = OFF"));
  ORCH_TRY(begin_write_mode(core));
  ORCH_TRY(tables::migrate(database, core.host.files, path));
  ORCH_TRY(set_write_mode(core));
  ORCH_TRY(derive(core));
  return core.repair_records(false);
}

Result<std::unique_ptr<Core>> open_locked(const Host& host, const Layout& layout, Lock lock) {
  ORCH_ASSIGN(sql::Database database,
              sql::Database::open(layout.database().string(), {.access = sql::Access::create}));
  auto core = std::make_unique<Core>(host, layout, std::move(lock), std::move(database));
  ORCH_TRY(prepare_for_writing(*core));
  ORCH_ASSIGN(const auto stamp, system::FileStamp::of(layout.database().string()));
  core->inode = stamp.inode;
  core->ballast.keep();
  return core;
}

Result<std::unique_ptr<Core>> open_for_writing(const Host& host, const Layout& layout) {
  ORCH_TRY(make_folders(host.files, layout));
  ORCH_ASSIGN(Lock lock, Lock::take(host, layout));
  if (!host.files.stat(layout.database().string()) && !record_files(host.files, layout).empty())
    return invalid(
        fmt::format("{} is missing, but its records exist: `orchestrate verify --rebuild` rebuilds "
                    "it from them",
                    layout.database().string()));
  ORCH_TRY(refuse_other_than_file(host.files, layout));
  Ballast(host.files, layout).release_if_low();
  return open_locked(host, layout, std::move(lock));
}

// Rolls back a commit whose process died: the first reader has to, and needs write access for that.
// SQLite leaves the commit of a live writer alone.
void undo_torn_commit(system::Files& files, const std::string& path) {
  const auto journal = files.stat(path + "-journal");
  if (!journal || journal->bytes == 0) return;
  auto opened =
      sql::Database::open(path, {.access = sql::Access::read_write, .busy_timeout_ms = 0});
  if (opened) static_cast<void>(opened->query_int("PRAGMA schema_version").ok());
}

// Copies a database of an earlier version, so that the copy can be upgraded for reading: only a
// command that writes may change the database itself. The copy disappears with this process.
Result<std::unique_ptr<Core>> read_copy_of(Core& old) {
  system::Files& files = old.host.files;
  ORCH_ASSIGN(const std::string folder, system::temporary_folder());
  const std::string path = old.layout.database().string(),
                    copy = fmt::format("{}/orchestrate-{}.db", folder, system::new_token());
  ORCH_TRY(old.database.execute("VACUUM INTO " + sql::quote_text(copy)));
  const auto read = [&]() -> Result<std::unique_ptr<Core>> {
    ORCH_ASSIGN(sql::Database database,
                sql::Database::open(copy, {.access = sql::Access::read_write}));
    auto core = std::make_unique<Core>(old.host, old.layout, std::nullopt, std::move(database),
                                       ReadOnlySnapshot(files, copy));
    ORCH_TRY(core->database.execute("PRAGMA trusted_schema = OFF; PRAGMA journal_mode = MEMORY"));
    ORCH_TRY(tables::migrate(core->database, files, copy, tables::migrations(),
                             tables::Backup::not_needed));
    ORCH_TRY(derive(*core));
    ORCH_TRY(core->database.execute("PRAGMA query_only = ON"));
    return core;
  };
  auto core = read();
  static_cast<void>(files.remove_tree(copy).ok());  // the open file remains until it is closed
  if (core)
    (*core)->notice(fmt::format(
        "{} is of an earlier version and is read from a copy; the next run brings it up to date",
        path));
  return core;
}

Result<std::unique_ptr<Core>> open_to_read(const Host& host, const Layout& layout,
                                           sql::Access access) {
  const std::string path = layout.database().string();
  ReadOnlySnapshot snapshot(host.files, path);
  if (access == sql::Access::read_only) undo_torn_commit(host.files, path);
  ORCH_ASSIGN(sql::Database database, sql::Database::open(path, {.access = access}));
  auto core =
      std::make_unique<Core>(host, layout, std::nullopt, std::move(database), std::move(snapshot));
  ORCH_TRY(core->database.execute("PRAGMA trusted_schema = OFF"));
  ORCH_ASSIGN(const bool older, tables::is_older(core->database, path));
  if (older) return read_copy_of(*core);
  ORCH_TRY(core->database.execute("PRAGMA query_only = ON"));
  ORCH_TRY(core->wide.load());
  return core;
}

// Whether the database can be read as immutable. In WAL mode SQLite has to create files beside it,
// which fails in a read-only folder; with an empty write-ahead log the database file is sufficient.
bool is_static(system::Files& files, const Layout& layout) {
  const auto log = files.stat(layout.database().string() + "-wal");
  return (!log || log->bytes == 0) && !system::is_writable(layout.root.string());
}

Result<std::unique_ptr<Core>> open_for_reading(const Host& host, const Layout& layout) {
  if (!host.files.stat(layout.database().string()))
    return not_found(
        fmt::format("no results in {}: make some with 'orchestrate run "
                    "MATRIX' or 'orchestrate bench --db STORE', or name another "
                    "store with --store",
                    layout.root.string()));
  ORCH_TRY(refuse_other_than_file(host.files, layout));
  auto core = open_to_read(host, layout, sql::Access::read_only);
  if (core.ok() || core.error().kind != ErrorKind::io || !is_static(host.files, layout))
    return core;
  auto looked = open_to_read(host, layout, sql::Access::immutable);
  if (looked.ok())
    (*looked)->notice(
        fmt::format("{} is not writable: results of a run that begins there now are not shown",
                    layout.root.string()));
  return looked;
}

}  // namespace

Store::Store(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store::~Store() {
  // The digests are a cache: after an error the files are only read again.
  if (core_ && core_->writes() && !core_->remembered.empty())
    static_cast<void>(in_transaction(*core_, [this] { return core_->write_remembered(); }));
}

Result<Store> Store::open(const Host& host, const std::filesystem::path& root, Mode mode) {
  std::error_code code;
  const Layout layout{
      std::filesystem::weakly_canonical(std::filesystem::absolute(root, code), code)};
  if (code) return io_error("find", root.string(), code.value());
  if (mode == Mode::write) ORCH_TRY(check_place_of_store(layout.root));
  auto core = mode == Mode::write ? open_for_writing(host, layout) : open_for_reading(host, layout);
  if (!core) return corruption_error_or(core.error(), host.files, layout);
  return Store(std::move(*core));
}

std::optional<Holder> Store::writer(const Host& host, const std::filesystem::path& root) {
  return Lock::holder(host, Layout{root});
}

bool Store::is_older(const std::filesystem::path& root) {
  const std::string path = Layout{root}.database().string();
  auto database = sql::Database::open(path, {.access = sql::Access::read_only});
  return database && tables::is_older(*database, path).value_or(false);
}

Status Store::free_to_write(const Host& host, const std::filesystem::path& root) {
  ORCH_TRY(check_place_of_store(root));
  // take() is used because it retries: the instant during which holder() has the lock is not taken
  // for a writer.
  const auto lock = Lock::take(host, Layout{root});
  return lock || lock.error().kind != ErrorKind::conflict ? Status() : Status(lock.error());
}

Error Store::corruption_error(const Error& error) const {
  return corruption_error_or(error, core_->host.files, core_->layout);
}

const Layout& Store::layout() const { return core_->layout; }
const std::vector<std::string>& Store::notices() const { return core_->notices; }
sql::Database& Store::database() { return core_->database; }

Result<plan::Done> Store::done() { return read_done(*core_); }
Result<std::vector<schedule::Unfinished>> Store::unfinished() { return read_unfinished(*core_); }
Result<plan::Ancestors> Store::ancestors(const std::string& runner) {
  return read_ancestors(*core_, runner);
}

Result<std::optional<std::string>> Store::resolution(const std::string& kind,
                                                     const std::string& name) {
  return core_->statements.text("SELECT value FROM resolution WHERE kind = ? AND name = ?", kind,
                                name);
}

Status Store::put_resolution(const std::string& kind, const std::string& name,
                             const std::string& value, double at) {
  return in_transaction(*core_, [&] {
    const Resolution resolution{kind, name, value, at};
    core_->records.add(k_store_record, to_fact(resolution));
    return write_resolution(core_->statements, resolution);
  });
}

Result<std::optional<Digest>> Store::known_file(const system::FileStamp& stamp) {
  if (const auto known = core_->remembered.find(stamp); known != core_->remembered.end())
    return std::optional(known->second);
  ORCH_ASSIGN(
      const auto hex,
      core_->statements.text("SELECT sha256 FROM file_identity WHERE path = ? AND size = ? AND "
                             "mtime_ns = ? AND ctime_ns = ? AND inode = ?",
                             stamp.path, stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode));
  Digest digest;
  if (!hex || !Digest::parse(*hex, digest)) return std::optional<Digest>();
  return std::optional(digest);
}

void Store::remember_file(const system::FileStamp& stamp, const Digest& digest) {
  if (stamp.is_settled(core_->host.clock.wall_s())) core_->remembered[stamp] = digest;
}

Status Store::ingest() { return ingest_runs(*core_); }

Result<std::unique_ptr<RunJournal>> Store::begin_run(const plan::Plan& plan, const RunInfo& info) {
  assert(core_->writes());
  ORCH_TRY(ingest());
  const PlanRecord record = record_of(plan);
  RunRecord run{.id = 0,
                .experiment = plan.matrix_name,
                .runner = join(plan.runners, "+"),
                .info = info,
                .pid = ::getpid()};
  ORCH_ASSIGN(run.uid, core_->database.query_text("SELECT lower(hex(randomblob(16)))"));
  std::optional<RunRows> rows;
  const Status written = in_transaction(*core_, [&]() -> Status {
    ORCH_TRY(core_->write_remembered());
    ORCH_ASSIGN(rows, begin_recorded_run(*core_, run, record));
    return {};
  });
  if (!written.ok()) return written.error();
  core_->remembered.clear();
  core_->run_id = rows->run_id();
  system::kill_point("run-begun");
  auto journal = std::make_unique<RunJournal>(*core_, std::move(*rows), run.file());
  ORCH_TRY(ingest_attempts(*core_, *journal));
  return journal;
}

}  // namespace orch::store
