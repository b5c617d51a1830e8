// A results folder: results.db, records/, artifacts/, logs/, inbox/, reports/. One process writes,
// any number read. Stores plans and events.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/result.hpp"
#include "os/system/file_lock.hpp"
#include "plan/graph/explanation/explain.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/layout.hpp"
#include "results/store/lock.hpp"
#include "run/schedule/journal.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::sql {
class Database;
}

namespace orch::system {
struct WatchedHashing;
}

namespace orch::store {

// The findings of a check of a store: its database, its run records, and the files listed in it.

struct VerifyReport {
  std::vector<std::string> problems;  // one sentence each, with the remedy; at most about 200
  std::vector<std::string> notes;     // remarks that are not problems
  std::size_t artifacts = 0, files = 0, measurements = 0;
};

class RunJournal;
struct Core;

enum class Mode {
  read,   // the store must exist; sees committed rows, also during a run
  write,  // created if absent; holds the lock until destroyed
};

// The description of a run, without its plan.
struct RunInfo {
  std::string matrix_file;
  std::string matrix_text;
  std::vector<std::string> command;  // of orchestrate
  std::string folder;                // absolute, the working directory of the command; "": unknown
  std::string version;               // of orchestrate
  std::map<std::string, std::string> machine;  // system::Machine::facts()
  double started_at = 0;                       // seconds since the epoch
  std::string goodput{};  // the goodput expression, SQL over the metrics of one request; "": none
  std::map<std::string, std::string> runners{};  // Manifest::digest of each runner, by its name
};

// The facts of a machine, and the version of orchestrate, that may change a measurement although
// its digest does not contain them.
plan::Provenance provenance_of(std::map<std::string, std::string> machine_facts,
                               const std::string& version);

// For use from one thread. Its journals and its connection must not outlive it.
class Store {
 public:
  // Errors: conflict, naming the holder, if another process writes; not_found if Mode::read finds
  // no store; invalid if the file belongs to another program or a newer version.
  static Result<Store> open(const Host& host, const std::filesystem::path& root, Mode mode);
  // The process that may currently write to the store at ROOT; nullopt if there is none. Waits a
  // few seconds for a sign of life of a process on another host.
  static std::optional<Holder> writer(const Host& host, const std::filesystem::path& root);
  // Whether the database at ROOT is of an earlier version: open() for writing would migrate it, and
  // for reading reads a migrated copy.
  static bool is_older(const std::filesystem::path& root);
  // Fails with the conflict that open() for writing would return now. For use before work that the
  // conflict would waste.
  static Status free_to_write(const Host& host, const std::filesystem::path& root);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const Layout& layout() const;
  // Sentences for the user, such as that the file system requires the slower journal.
  const std::vector<std::string>& notices() const;

  // The outputs that planning may reuse: published artifacts whose files still exist with their
  // sizes (`in_place` artifacts only at their original path, without a check of each file), and
  // valid measurements. Also final failures and the durations of attempts. The caller judges
  // provenance. Adds a notice for each damaged artifact.
  Result<plan::Done> done();
  // Attempts of earlier runs that have no recorded end, oldest first.
  Result<std::vector<schedule::Unfinished>> unfinished();
  // Previously planned stages of RUNNER by their names in the manifest, the oldest first.
  Result<plan::Ancestors> ancestors(const std::string& runner);

  // What NAME was last found to stand for; nullopt if it is not stored. KIND "model", NAME
  // "hf:Qwen/X@main": the commit.
  Result<std::optional<std::string>> resolution(const std::string& kind, const std::string& name);
  Status put_resolution(const std::string& kind, const std::string& name, const std::string& value,
                        double at);

  // The sha256 of the file with STAMP if it is remembered. Digests passed to remember_file() are
  // written by the next begin_run() or by the destructor; a store in Mode::read discards them. A
  // file that changed within the last 0.1 s is not remembered, because its timestamps might not
  // show a later change.
  Result<std::optional<Digest>> known_file(const system::FileStamp& stamp);
  void remember_file(const system::FileStamp& stamp, const Digest& digest);

  // Checks the database, its run records and the files on disk against each other; with QUICK,
  // without reading the contents of outputs. Files are hashed according to HOW, or by this thread
  // if it is null. Error: the database cannot be read, or HOW stopped the hashing.
  Result<VerifyReport> verify(bool quick, const system::WatchedHashing* how = nullptr);
  // Like verify() with contents. Marks damaged outputs as removed, so that the next run produces
  // them again. Mode::write only.
  Result<VerifyReport> verify_and_mark(double now, const system::WatchedHashing* how = nullptr);
  // Ingests the records in the inbox that become their own runs. begin_run() also does this, and
  // ingests the records of attempts at stages of its plan. Mode::write only.
  Status ingest();
  // Writes the plan as a new run and commits. Marks earlier runs without an outcome as died.
  // Mode::write only.
  Result<std::unique_ptr<RunJournal>> begin_run(const plan::Plan& plan, const RunInfo& info);

  // Returns ERROR, or if SQLite reports a damaged file, an error that names the store and the
  // remedy.
  Error corruption_error(const Error& error) const;

  // The connection, for reports. In Mode::read it rejects writes.
  sql::Database& database();
  // For src/results/keep, which removes and merges what is stored.
  Core& core() { return *core_; }

 private:
  explicit Store(std::unique_ptr<Core> core);

  std::unique_ptr<Core> core_;
};

}  // namespace orch::store
