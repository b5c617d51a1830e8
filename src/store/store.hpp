// A results folder: results.db, artifacts/, logs/, inbox/, reports/. One process writes, any number
// read. Knows what was planned and what happened; starts nothing and decides nothing.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "plan/explain.hpp"
#include "plan/plan.hpp"
#include "schedule/unfinished.hpp"
#include "store/host.hpp"
#include "store/layout.hpp"
#include "store/lock.hpp"
#include "store/verify.hpp"
#include "system/file_stamp.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::sql {
class Database;
}

namespace orch::store {

class RunJournal;
struct Core;

enum class Mode {
  read,   // the store must exist; sees what is committed, also while a run goes on
  write,  // made when absent; holds the lock until destroyed
};

// What a run is, beside its plan.
struct RunInfo {
  std::string matrix_file;
  std::string matrix_text;
  std::vector<std::string> command;  // our own command line
  std::string folder;                // absolute, where it was given; "" when it is of no use
  std::string version;               // of this program
  std::map<std::string, std::string> machine;  // system::Machine::facts()
  double started_at = 0;                       // seconds since the epoch
  std::string goodput{};  // which requests are good, SQL over the metrics of one; "": nobody says
};

// What is on record of a machine and of this program as far as it may change a measurement without
// being in its digest.
plan::Provenance provenance_of(std::map<std::string, std::string> machine_facts,
                               const std::string& version);

// Used by one thread. Whatever it hands out must not outlive it.
class Store {
 public:
  // Errors: conflict, naming the holder, when another process writes; not_found when Mode::read
  // finds no store; invalid when the file is of another program or of a newer version.
  static Result<Store> open(const Host& host, const std::filesystem::path& root, Mode mode);
  // Who writes to the store at ROOT now; empty when nobody.
  static std::optional<Holder> writer(system::Files& files, const std::filesystem::path& root);
  // The conflict that open() for writing would end in now. To be asked before work that such an end
  // would waste.
  static Status free_to_write(const Host& host, const std::filesystem::path& root);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const Layout& layout() const;
  // Things a user should read once, such as a file system that needs the slower journal.
  const std::vector<std::string>& notices() const;

  // What planning may reuse: published artifacts whose files are still there, by name and size
  // (in_place ones only where they were made, without looking at each file), and measurements with
  // a valid record; what failed; and what attempts took. What the machine is now is left to the
  // caller. Adds a notice for each artifact that can no longer be used.
  Result<plan::Done> done();
  // Attempts without an end that runs before this one left, oldest first.
  Result<std::vector<schedule::Unfinished>> unfinished();
  // What stages of RUNNER were planned before, by their names in the manifest, oldest first.
  Result<plan::Ancestors> ancestors(const std::string& runner);

  // What a moving name (KIND "hf-revision", NAME "Qwen/X@main") was found to mean.
  Result<std::optional<std::string>> resolution(const std::string& kind, const std::string& name);
  Status put_resolution(const std::string& kind, const std::string& name, const std::string& value,
                        double at);

  // The sha256 of the file that STAMP was taken of, if it was read before. What remember_file() was
  // told is written with the next begin_run or at the end; a reader forgets it. A file changed
  // within the last 0.1 s is not remembered: its times could not tell a later change.
  Result<std::optional<Digest>> known_file(const system::FileStamp& stamp);
  void remember_file(const system::FileStamp& stamp, const Digest& digest);

  // Compares the store with itself. QUICK: contents of outputs are not read. An error: the database
  // cannot be read at all.
  Result<Verified> verify(bool quick);
  // The same with contents; outputs that are not what they were are on record as gone, and are made
  // again. Mode::write only.
  Result<Verified> verify_and_mark(double now);
  // Takes in what others have put into the inbox as runs of their own. begin_run() does so as well,
  // and takes in what belongs to attempts at stages of its plan. Mode::write only.
  Status ingest();
  // Writes the plan as a new run and commits. Runs on record that never ended are marked as died.
  // Mode::write only.
  Result<std::unique_ptr<RunJournal>> begin_run(const plan::Plan& plan, const RunInfo& info);

  // ERROR, or when SQLite reports a damaged file, an error that names the store and the remedy.
  Error corruption_error(const Error& error) const;

  // The connection, for reports. In Mode::read it refuses to write.
  sql::Database& database();

 private:
  explicit Store(std::unique_ptr<Core> core);

  std::unique_ptr<Core> core_;
};

}  // namespace orch::store
