// An export of runs as a folder: export.json, which lists the runs and their files, and objects/,
// where each file is named by its SHA-256. The same runs make the same bytes, and a file that two
// runs share is there once. Knows no database.
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

// The files of a measurement's record that are exported.
inline constexpr const char* k_record_files[] = {"measurement.json", "requests.jsonl",
                                                 "answers.jsonl.zst"};

struct BundledRecord {
  std::string path;                          // by which facts of the run name it
  std::map<std::string, std::string> files;  // of k_record_files: name -> sha256
};
constexpr auto fields_of(Tag<BundledRecord>) {
  return rows_of(required<&BundledRecord::path>("path"), required<&BundledRecord::files>("files"));
}

struct BundledRun {
  std::string uid;         // 32 hexadecimal digits
  std::string experiment;  // for people
  std::string facts;       // sha256 of its facts: one JSON value a line
  std::vector<BundledRecord> records;
};
constexpr auto fields_of(Tag<BundledRun>) {
  using R = BundledRun;
  return rows_of(required<&R::uid>("uid"), required<&R::experiment>("experiment"),
                 required<&R::facts>("facts"), required<&R::records>("records"));
}

struct Bundle {
  std::string format = "orchestrate-export";
  int version = 1;
  std::vector<BundledRun> runs = {};  // in the order in which the store had them
};
constexpr auto fields_of(Tag<Bundle>) {
  return rows_of(required<&Bundle::format>("format"), required<&Bundle::version>("version"),
                 required<&Bundle::runs>("runs"));
}

// Writes TEXT as an object below FOLDER, unless it is there; its sha256.
Result<std::string> put_object(system::Files& files, const std::string& folder,
                               const std::string& text);
// The same with the file at PATH.
Result<std::string> put_object_of(system::Files& files, const std::string& folder,
                                  const std::string& path);
// export.json is written last: without it a folder is no export.
Status write_bundle(system::Files& files, const std::string& folder, const Bundle& bundle);
// Errors name what is wrong: another format, a name that is none, an object that is missing.
Result<Bundle> read_bundle(system::Files& files, const std::string& folder);
// The path of the object with SHA256 below FOLDER.
std::string object_path(const std::string& folder, const std::string& sha256);

// A run as a bundle describes it, checked and stripped of what holds on its own machine only:
// processes, logs, folders. Trusts nothing that it reads; writes nothing but copies of records.

using ForeignFact = std::variant<store::PlanFact, schedule::Event, store::Finished, tables::Scored>;

struct ForeignRun {
  BundledRun bundled;
  store::RunRecord record;  // without its id, its process and its folder
  std::vector<ForeignFact> facts;

  // The folder of the record that the bundle names PATH, below the store that it is merged into.
  std::string place_of(const std::string& path) const;
};

// RUN of the bundle in FOLDER. Errors name the run and what is wrong with it.
Result<ForeignRun> read_foreign_run(system::Files& files, const std::string& folder,
                                    const BundledRun& run);

// Copies the records of RUN to TO/1, TO/2, ..., durably, and checks that each file has its digest
// and that each record can be read.
Status copy_records(system::Files& files, const std::string& folder, const ForeignRun& run,
                    const std::string& to);

}  // namespace orch::keep
