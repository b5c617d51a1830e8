// Exported runs as a folder: export.json, which lists the runs and their files, and objects/, where
// each file is named by its SHA-256. The same runs give the same bytes, and a file shared by two
// runs is stored once. Does not depend on the database.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/scores.hpp"
#include "run/schedule/journal.hpp"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace orch::keep {

// The exported files of a measurement's record.
inline constexpr const char* k_record_files[] = {"measurement.json", "requests.jsonl",
                                                 "answers.jsonl.zst"};

struct BundledRecord {
  std::string path;                               // as named in the run's facts
  std::map<std::string, std::string> files = {};  // name, one of k_record_files, -> sha256
};
constexpr auto fields_of(Tag<BundledRecord>) {
  return rows_of(required<&BundledRecord::path>("path"), required<&BundledRecord::files>("files"));
}

struct BundledRun {
  std::string uid;         // 32 hexadecimal digits
  std::string experiment;  // for display
  std::string facts = {};  // sha256 of its facts: one JSON value per line
  std::vector<BundledRecord> records = {};
};
constexpr auto fields_of(Tag<BundledRun>) {
  using R = BundledRun;
  return rows_of(required<&R::uid>("uid"), required<&R::experiment>("experiment"),
                 required<&R::facts>("facts"), required<&R::records>("records"));
}

struct Bundle {
  std::string format = "orchestrate-export";
  int version = 1;
  std::vector<BundledRun> runs = {};  // in the order of their ids in the store
};
constexpr auto fields_of(Tag<Bundle>) {
  return rows_of(required<&Bundle::format>("format"), required<&Bundle::version>("version"),
                 required<&Bundle::runs>("runs"));
}

// Writes TEXT as an object below FOLDER unless that object exists; returns its sha256.
Result<std::string> put_object(system::Files& files, const std::string& folder,
                               const std::string& text);
// The same for the file at PATH.
Result<std::string> put_object_of(system::Files& files, const std::string& folder,
                                  const std::string& path);
// Writes export.json last: a folder without it is not an export.
Status write_bundle(system::Files& files, const std::string& folder, const Bundle& bundle);
// Errors: FOLDER is of another format, has an invalid name, or lacks an object.
Result<Bundle> read_bundle(system::Files& files, const std::string& folder);
// The path of object SHA256 below FOLDER.
std::string object_path(const std::string& folder, const std::string& sha256);

// A run as described by a bundle, validated and stripped of what is meaningful only on the machine
// of the run: processes, logs, folders. Trusts nothing in the bundle; writes only copies of
// records.

using ForeignFact = std::variant<store::PlanFact, schedule::Event, store::Finished, tables::Scored>;

struct ForeignRun {
  BundledRun bundled;
  store::RunRecord record = {};  // without its id, process and folder
  std::vector<ForeignFact> facts = {};

  // The folder, in the store that the run is merged into, for the record that the bundle calls
  // PATH; "" if the bundle has no such record.
  std::string place_of(const std::string& path) const;
};

// Reads RUN from the bundle in FOLDER. Errors name the run and the problem.
Result<ForeignRun> read_foreign_run(system::Files& files, const std::string& folder,
                                    const BundledRun& run);

// Copies the records of RUN to TO/1, TO/2, ..., durably, and checks that each file matches its
// digest and each record can be read.
Status copy_records(system::Files& files, const std::string& folder, const ForeignRun& run,
                    const std::string& to);

}  // namespace orch::keep
