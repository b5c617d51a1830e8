#include "core/base/text.hpp"
#include "os/system/work/long_work.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/store.hpp"

namespace orch::store {

namespace {

constexpr std::size_t k_most = 200;

struct Artifact {
  std::int64_t id;
  std::string token, path, absolute_path;
  bool in_place;
  bool measured;  // it is the record of a measurement, whose content is also in the database
};

// A file whose content is to be compared.
struct Content {
  std::string name;  // below the store
  system::FileToHash file;
  std::string sha256;
  std::string_view consequence;  // of damage
  std::string token;             // of the attempt whose output is then produced again, or ""
};

constexpr std::string_view k_made_again = "the next run that needs the output makes it again";
constexpr std::string_view k_restore =
    "the database still holds its content, but a rebuild would lose it; restore it from a backup";

class Verify {
 public:
  Verify(Core& core, bool quick, const system::WatchedHashing* how)
      : core_(core), files_(core.host.files), quick_(quick), how_(how) {}

  Status run() {
    ORCH_TRY(check_database());
    ORCH_TRY(check_records());
    ORCH_TRY(check_artifacts());
    ORCH_TRY(check_measurements());
    ORCH_TRY(check_contents());
    return check_folders();
  }

  VerifyReport found;
  std::set<std::string> damaged;              // tokens of attempts
  std::map<std::string, std::string> shared;  // token -> its output, a link into the cache

 private:
  void problem(std::string sentence) {
    if (found.problems.size() < k_most) found.problems.push_back(std::move(sentence));
    else if (found.problems.size() == k_most) found.problems.push_back("... and more");
  }

  Status check_database() {
    const std::string path = core_.layout.database().string();
    ORCH_TRY(core_.statements.rows(
        quick_ ? "PRAGMA quick_check(20)" : "PRAGMA integrity_check(20)", [&](sql::Statement& row) {
          if (const std::string result = row.column_text(0); result != "ok")
            problem(fmt::format(
                "{} is damaged ({}): `orchestrate verify --rebuild` rebuilds it from its records",
                path, result));
        }));
    return core_.statements.rows(
        "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1",
        [&](sql::Statement& row) {
          problem(
              fmt::format("{}: '{}' has {} with missing references: `orchestrate verify "
                          "--rebuild` rebuilds it from its records",
                          path, row.column_text(0),
                          plural(static_cast<std::uint64_t>(row.column_int(1)), "row")));
        });
  }

  Status check_records() {
    if (core_.writes()) {
      ORCH_TRY(core_.repair_records(true));
      for (const std::string& sentence : core_.repaired) problem(sentence);
    } else {
      ORCH_ASSIGN(const auto damages, core_.records.damages());
      for (const std::string& sentence : damages) problem(sentence);
    }
    std::set<std::string> known;
    ORCH_TRY(core_.statements.rows("SELECT path, bytes FROM record_file", [&](sql::Statement& row) {
      const std::string file = row.column_text(0);
      known.insert(file);
      const auto size = size_of((core_.layout.records() / file).string());
      if (size && *size > row.column_int(1)) report_longer(file, row.column_int(1), *size);
    }));
    for (const std::string& file : record_files(files_, core_.layout))
      if (!known.contains(file))
        report_longer(file, 0, size_of((core_.layout.records() / file).string()).value_or(0));
    return check_unrecorded(known);
  }

  Status check_unrecorded(const std::set<std::string>& known) {
    std::string runs;
    ORCH_TRY(core_.statements.rows("SELECT id, uid FROM run ORDER BY id", [&](sql::Statement& row) {
      if (!known.contains(row.column_text(1) + ".jsonl"))
        runs += fmt::format("{}{}", runs.empty() ? "" : ", ", row.column_int(0));
    }));
    if (!runs.empty())
      found.notes.push_back(fmt::format("runs of an older version have no record ({}): back up {}",
                                        runs, core_.layout.database().string()));
    return {};
  }

  // Reports nothing during a run, whose record may be ahead of the last commit.
  void report_longer(const std::string& file, std::int64_t known, std::int64_t size) {
    if (Lock::holder(core_.host, core_.layout) && !core_.writes()) return;
    problem(
        fmt::format("records/{} holds more than the database ({} of {} bytes): the next run "
                    "repairs what a crash left; otherwise run `orchestrate verify --rebuild`",
                    file, known, size));
  }

  Status check_artifacts() {
    std::vector<Artifact> artifacts;
    ORCH_TRY(core_.statements.rows(
        "SELECT max(f.id), a.token, f.path, f.absolute_path, f.in_place, s.kind = 'measure' FROM "
        "artifact f JOIN attempt a ON a.id = f.attempt_id JOIN stage s ON s.id = f.stage_id WHERE "
        "f.removed_at IS NULL GROUP BY f.path ORDER BY f.path",
        [&](sql::Statement& row) {
          artifacts.push_back({row.column_int(0), row.column_text(1), row.column_text(2),
                               row.column_text(3), row.column_int(4) != 0, row.column_int(5) != 0});
        }));
    found.artifacts = artifacts.size();
    for (const Artifact& artifact : artifacts) ORCH_TRY(check_artifact(artifact));
    return {};
  }

  Status check_artifact(const Artifact& artifact) {
    const std::string folder = core_.layout.at(artifact.path).string();
    known_.insert(artifact.path);
    consequence_ = artifact.measured ? k_restore : k_made_again;
    token_ = artifact.measured ? "" : artifact.token;
    const std::size_t before = found.problems.size();
    if (artifact.in_place && artifact.absolute_path != folder)
      return {};  // it was made at a different path, so it is never reused here
    if (!size_of(folder)) problem(fmt::format("{} is missing: {}", artifact.path, consequence_));
    else if (artifact.in_place && !size_of(folder + "/manifest.json"))
      problem(fmt::format("{}/manifest.json is missing: {}", artifact.path, consequence_));
    else if (files_.is_link(folder + "/out") && !size_of(folder + "/out/../manifest.json"))
      problem(fmt::format("{}/out is missing: {}", artifact.path, consequence_));
    else
      ORCH_TRY(core_.statements.rows(
          "SELECT path, bytes, sha256 FROM artifact_file WHERE artifact_id = ? ORDER BY path",
          artifact.id, [&](sql::Statement& row) {
            check_file(artifact.path + "/out/", row.column_text(0), row.column_int(1),
                       row.column_text(2));
          }));
    if (files_.is_link(folder + "/out")) shared[artifact.token] = folder + "/out";
    if (found.problems.size() > before && !artifact.measured) damaged.insert(artifact.token);
    return {};
  }

  void check_file(const std::string& folder, const std::string& name, std::int64_t bytes,
                  const std::string& sha256) {
    ++found.files;
    const std::string path = core_.layout.at(folder + name).string();
    const auto size = size_of(path);
    if (!size) return problem(fmt::format("{}{} is missing: {}", folder, name, consequence_));
    if (*size != bytes)
      return problem(fmt::format("{}{} has {} bytes instead of {}: {}", folder, name, *size, bytes,
                                 consequence_));
    add_content(folder + name, {path, static_cast<std::uint64_t>(bytes)}, sha256);
  }

  void add_content(const std::string& name, const system::FileToHash& file,
                   const std::string& sha256) {
    if (quick_) return;
    contents_.push_back({.name = name,
                         .file = file,
                         .sha256 = sha256,
                         .consequence = consequence_,
                         .token = token_});
  }

  // Reads the files that have the right size.
  Status check_contents() {
    std::vector<system::FileToHash> list;
    for (const Content& one : contents_) list.push_back(one.file);
    system::LongWork alone;
    const auto digests =
        how_ ? system::sha256_each(files_, list, *how_) : system::sha256_each(files_, list, alone);
    for (std::size_t i = 0; i < contents_.size(); ++i) {
      const Content& one = contents_[i];
      if (digests[i] && digests[i]->hex() == one.sha256) continue;
      if (!digests[i] && digests[i].error().kind == ErrorKind::interrupted)
        return digests[i].error();
      problem(digests[i] ? fmt::format("{} has changed (its sha256 differs): {}", one.name,
                                       one.consequence)
                         : fmt::format("{} cannot be read ({}): {}", one.name,
                                       digests[i].error().text(), one.consequence));
      if (!one.token.empty()) damaged.insert(one.token);
    }
    return {};
  }

  Status check_measurements() {
    ORCH_ASSIGN(const auto count, core_.statements.integer("SELECT count(*) FROM measurement"));
    found.measurements = static_cast<std::size_t>(count.value_or(0));
    static constexpr std::string_view k_without_output =
        "SELECT path, record_sha256 FROM measurement m WHERE record_sha256 <> '' AND NOT EXISTS "
        "(SELECT 1 FROM artifact f WHERE f.attempt_id = m.attempt_id AND f.removed_at IS NULL) "
        "GROUP BY path ORDER BY path";
    consequence_ = k_restore;
    token_.clear();
    return core_.statements.rows(k_without_output, [&](sql::Statement& row) {
      const std::string path = row.column_text(0);
      known_.insert(path.substr(0, path.rfind('/')));
      const std::string file = (core_.layout.record(files_, path) / "measurement.json").string();
      const auto bytes = size_of(file);
      if (!bytes)
        return problem(fmt::format("{}/measurement.json is missing: {}", path, k_restore));
      add_content(path + "/measurement.json", {file, static_cast<std::uint64_t>(*bytes)},
                  row.column_text(1));
    });
  }

  // Checks nothing during a run, whose folders would look orphaned.
  Status check_folders() {
    if (Lock::holder(core_.host, core_.layout) && !core_.writes()) return {};
    std::set<std::string> working;
    ORCH_TRY(
        core_.statements.rows("SELECT token FROM attempt UNION SELECT process FROM attempt",
                              [&](sql::Statement& row) { working.insert(row.column_text(0)); }));
    ORCH_TRY(
        core_.statements.rows("SELECT path FROM artifact UNION SELECT path FROM measurement",
                              [&](sql::Statement& row) { known_.insert(row.column_text(0)); }));
    for (const std::string& name : names("artifacts"))
      if (!known_.contains("artifacts/" + name) && name != "by-name")
        problem(
            fmt::format("artifacts/{} is not in the database: remove it if nothing was lost from "
                        "the database or its records; otherwise restore those first",
                        printable(name)));
    for (const std::string& name : names("attempts"))
      if (!working.contains(name))
        problem(fmt::format("attempts/{} is orphaned: no attempt names it; remove it",
                            printable(name)));
    for (const std::string& name : names("inbox"))
      problem(fmt::format(
          "inbox/{} has not been ingested: the next run tries again, and reports why if it cannot",
          printable(name)));
    return {};
  }

  std::vector<std::string> names(const char* folder) {
    return files_.names((core_.layout.root / folder).string()).value_or({});
  }

  std::optional<std::int64_t> size_of(const std::string& path) {
    const auto facts = files_.stat(path);
    return facts ? std::optional(static_cast<std::int64_t>(facts->bytes)) : std::nullopt;
  }

  Core& core_;
  system::Files& files_;
  bool quick_;
  const system::WatchedHashing* how_;
  std::string_view consequence_;  // for the artifact that is being checked
  std::string token_;             // of its attempt; "" if it would not be produced again
  std::vector<Content> contents_;
  std::set<std::string> known_;  // folders below artifacts/
};

}  // namespace

Result<VerifyReport> Store::verify(bool quick, const system::WatchedHashing* how) {
  Verify verify(*core_, quick, how);
  ORCH_TRY(verify.run());
  return std::move(verify.found);
}

Result<VerifyReport> Store::verify_and_mark(double now, const system::WatchedHashing* how) {
  Verify verify(*core_, false, how);
  ORCH_TRY(verify.run());
  const Status marked = in_transaction(*core_, [&]() -> Status {
    for (const std::string& token : verify.damaged) {
      const Removal removal{.token = token, .at = now};
      core_->records.add(k_store_record, to_fact(removal));
      ORCH_TRY(write_removal(core_->statements, removal));
    }
    return {};
  });
  if (!marked.ok()) return marked.error();
  // Ensures that no store uses a damaged entry of the cache again.
  for (const auto& [token, out] : verify.shared)
    if (verify.damaged.contains(token))
      ORCH_TRY(core_->host.files.remove_tree(out + "/../manifest.json"));
  return std::move(verify.found);
}

}  // namespace orch::store
