#include "results/keep/merge_runs.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "results/store/records/record_log.hpp"
#include "results/store/run_rows.hpp"
#include "results/tables/ingest.hpp"

namespace orch::keep {

namespace {

// The runs of an experiment, and the runs with an attempt at a stage of its points.
constexpr std::string_view k_runs = R"(
SELECT id, uid, experiment, outcome IS NOT NULL FROM run WHERE experiment = ?1 AND EXISTS (
    SELECT 1 FROM point p WHERE p.run_id = run.id)
  OR id IN (SELECT a.run_id FROM attempt a JOIN point_stage ps ON ps.stage_id = a.stage_id
    JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id WHERE r.experiment = ?1)
ORDER BY id)";

struct Chosen {
  std::int64_t id = 0;
  std::string uid, experiment;
  bool is_over = true;
};

class Export {
 public:
  Export(store::Store& store, std::string folder)
      : core_(store.core()),
        files_(core_.host.files),
        folder_(std::move(folder)),
        is_in_use_(store::Store::writer(core_.host, core_.layout.root).has_value()) {}

  Status run(const Chosen& run) {
    facts_.clear();
    run_ = BundledRun{.uid = run.uid, .experiment = run.experiment};
    // A run that is not over is left out: merged now it would stay incomplete, because a store
    // merges each uid once.
    if (!run.is_over && is_in_use_) {
      report.notices.push_back(fmt::format("run {} has not ended; it is left out", run.id));
      return {};
    }
    const std::string file = (core_.layout.records() / (run.uid + ".jsonl")).string();
    if (!files_.stat(file)) {
      report.notices.push_back(
          fmt::format("run {} has no record (an older version made it); it is left out", run.id));
      return {};
    }
    system::Lines lines(files_, file);
    store::RecordLines reader;
    std::string line;
    while (true) {
      ORCH_ASSIGN(const bool more, lines.next(line));
      if (!more || !lines.terminated()) break;
      if (line.empty()) continue;
      ORCH_ASSIGN(const std::string list, reader.facts(line));
      ORCH_ASSIGN(const Value facts, parse_value(list));
      const auto* all = std::get_if<List>(&facts);
      if (!all) return invalid(fmt::format("{} is damaged; run `orchestrate verify`", file));
      for (const Value& fact : *all) ORCH_TRY(add(run, fact));
    }
    ORCH_ASSIGN(run_.facts, put_object(files_, folder_, facts_));
    bundle.runs.push_back(std::move(run_));
    ++report.runs;
    return {};
  }

  ExportReport report;
  Bundle bundle;

 private:
  // In a store, only the first run record with a stage describes it; in a bundle, each run
  // describes all its stages.
  Status add(const Chosen& run, const Value& fact) {
    std::string text = json_text(fact);
    if (tagged_as(fact, "planned") || tagged_as(fact, "amended")) {
      ORCH_ASSIGN(text, complete_plan(run, fact));
    } else if (tagged_as(fact, "measured")) {
      ORCH_ASSIGN(const schedule::Event event, store::parse_event(fact));
      ORCH_ASSIGN(const bool has_record,
                  add_record(std::get<schedule::MeasurementProduced>(event).path));
      if (!has_record) return {};
    }
    facts_ += text + "\n";
    return {};
  }

  Result<std::string> complete_plan(const Chosen& run, const Value& fact) {
    ORCH_ASSIGN(const store::PlanFact plan, store::parse_plan(fact));
    std::map<std::size_t, store::StageContent> contents;
    for (std::size_t i = 0; i < plan.plan.stages.size(); ++i) {
      if (auto known = plan.plan.content(i)) {
        contents[i] = std::move(*known);
        continue;
      }
      static const std::string k_content = fmt::format(
          "SELECT {} FROM run_stage rs JOIN stage s ON s.id = rs.stage_id WHERE rs.run_id = ? AND "
          "rs.plan_id = ?",
          tables::columns_of(k_fields<store::StageContent>));
      ORCH_TRY(core_.statements.rows(
          k_content, run.id, plan.plan.stages[i].id,
          [&](sql::Statement& row) { tables::read_columns(row, 0, contents[i]); }));
    }
    return store::to_fact(plan.plan, contents, plan.amended, plan.at);
  }

  Result<bool> add_record(const std::string& path) {
    const auto folder = core_.layout.record(files_, path);
    BundledRecord record{.path = path};
    for (const char* name : k_record_files) {
      const std::string file = (folder / name).string();
      if (!files_.stat(file)) continue;
      ORCH_ASSIGN(record.files[name], put_object_of(files_, folder_, file));
    }
    if (!record.files.contains(k_record_files[0])) {
      report.notices.push_back(fmt::format("{} has no measurement.json; it is left out", path));
      return false;
    }
    run_.records.push_back(std::move(record));
    ++report.measurements;
    return true;
  }

  store::Core& core_;
  system::Files& files_;
  std::string folder_, facts_;
  const bool is_in_use_;  // another process writes to the store
  BundledRun run_;
};

Result<std::vector<Chosen>> choose(store::Core& core, const std::vector<std::string>& experiments) {
  std::set<std::int64_t> ids;
  std::vector<Chosen> chosen;
  std::size_t rows = 0;
  const auto take = [&](sql::Statement& row) {
    ++rows;
    if (ids.insert(row.column_int(0)).second)
      chosen.push_back(
          {row.column_int(0), row.column_text(1), row.column_text(2), row.column_int(3) != 0});
  };
  if (experiments.empty())
    ORCH_TRY(core.statements.rows(
        "SELECT id, uid, experiment, outcome IS NOT NULL FROM run WHERE EXISTS (SELECT 1 FROM "
        "point p WHERE p.run_id = run.id) ORDER BY id",
        take));
  for (const std::string& experiment : experiments) {
    rows = 0;
    ORCH_TRY(core.statements.rows(k_runs, experiment, take));
    if (rows == 0)
      return not_found(fmt::format("no experiment {} in this store", quoted(experiment)));
  }
  std::ranges::sort(chosen, {}, &Chosen::id);
  return chosen;
}

// Maps the numbers of a bundle's attempts to numbers in this store. Both count the attempts of a
// stage from 1.
class Numbers {
 public:
  explicit Numbers(store::Core& core) : core_(core) {}

  // Adds the attempts of RUN, which the store already has.
  Status know(const ForeignRun& run) {
    for (const ForeignFact& fact : run.facts) {
      const auto* event = std::get_if<schedule::Event>(&fact);
      const auto* intended = event ? std::get_if<schedule::AttemptIntended>(event) : nullptr;
      if (!intended) continue;
      ORCH_ASSIGN(
          const auto number,
          core_.statements.integer("SELECT number FROM attempt WHERE token = ?", intended->token));
      if (number) numbers_[intended->attempt] = static_cast<int>(*number);
    }
    return {};
  }

  // Gives ATTEMPT of run RUN_ID the next number of its stage.
  Status number(std::int64_t run_id, schedule::AttemptKey& attempt) {
    ORCH_ASSIGN(const auto next,
                core_.statements.integer(
                    "SELECT coalesce(max(a.number), 0) + 1 FROM run_stage rs LEFT JOIN attempt a "
                    "ON a.stage_id = rs.stage_id WHERE rs.run_id = ? AND rs.plan_id = ?",
                    run_id, attempt.stage));
    const int number = static_cast<int>(next.value_or(1));
    numbers_[attempt] = number;
    attempt.number = number;
    return {};
  }

  bool translate(schedule::AttemptKey& attempt) const {
    const auto known = numbers_.find(attempt);
    if (known != numbers_.end()) attempt.number = known->second;
    return known != numbers_.end();
  }

 private:
  store::Core& core_;
  std::map<schedule::AttemptKey, int> numbers_;
};

// Writes one run inside the caller's transaction, as the run's own process would have written it in
// this store.
class RunWriter {
 public:
  RunWriter(store::Core& core, Numbers& numbers, const ForeignRun& run)
      : core_(core), numbers_(numbers), run_(run), file_(run.record.file()) {}

  Status write() {
    store::RunRecord record = run_.record;
    ORCH_ASSIGN(store::RunRows rows, store::RunRows::begin(core_, record));
    record.id = rows.run_id();
    core_.records.add(file_, store::to_fact(record));
    bool is_finished = false;
    for (const ForeignFact& fact : run_.facts) {
      if (const auto* plan = std::get_if<store::PlanFact>(&fact)) {
        ORCH_TRY(write_plan(rows, *plan));
      } else if (const auto* end = std::get_if<store::Finished>(&fact)) {
        is_finished = true;
        ORCH_TRY(put(rows, *end));
      } else if (const auto* scored = std::get_if<tables::Scored>(&fact)) {
        core_.records.add(file_, tables::to_fact(*scored));
        ORCH_TRY(tables::write_scored(core_.statements, core_.wide, *scored));
      } else {
        ORCH_TRY(write_event(rows, std::get<schedule::Event>(fact)));
      }
    }
    ORCH_TRY(end_attempts(rows));
    if (is_finished) return {};
    return put(rows, store::Finished{.outcome = "died", .at = record.info.started_at});
  }

 private:
  Status write_plan(store::RunRows& rows, const store::PlanFact& plan) {
    std::map<std::size_t, store::StageContent> contents;
    for (std::size_t i = 0; i < plan.plan.stages.size(); ++i)
      if (auto content = plan.plan.content(i)) contents[i] = std::move(*content);
    core_.records.add(file_, store::to_fact(plan.plan, contents, plan.amended, plan.at));
    ORCH_TRY(plan.amended ? rows.amend(plan.plan, plan.at) : rows.write(plan.plan, plan.at));
    return {};
  }

  // Writes FACT, an event or the end of the run, as rows and as a line of the run record.
  template <class Fact> Status put(store::RunRows& rows, const Fact& fact) {
    ORCH_TRY(rows.write(fact));
    core_.records.add(file_, store::to_fact(fact));
    return {};
  }

  Status write_event(store::RunRows& rows, schedule::Event event) {
    if (auto* intended = std::get_if<schedule::AttemptIntended>(&event)) {
      ORCH_TRY(numbers_.number(rows.run_id(), intended->attempt));
      tokens_[intended->attempt] = intended->token;
      return put(rows, event);
    }
    if (std::holds_alternative<schedule::StageMoved>(event) ||
        std::holds_alternative<schedule::AttemptLost>(event))
      return put(rows, event);
    ORCH_TRY(translate(event));
    if (auto* measured = std::get_if<schedule::MeasurementProduced>(&event)) {
      measured->path = run_.place_of(measured->path);
      if (!numbers_.translate(measured->session)) measured->session = {};
    }
    if (auto* published = std::get_if<schedule::ArtifactPublished>(&event))
      return publish(rows, *published);
    return put(rows, event);
  }

  // Translates the attempt of EVENT to its number in this store.
  Status translate(schedule::Event& event) {
    schedule::AttemptKey* key = std::visit(
        [](auto& what) -> schedule::AttemptKey* {
          if constexpr (requires { what.attempt; }) return &what.attempt;
          else return nullptr;
        },
        event);
    if (!key || numbers_.translate(*key)) return {};
    return invalid(fmt::format("run {} has an event of attempt {} of {}, which never began",
                               run_.record.uid, key->number, key->stage));
  }

  // The outputs are not in this store: records what is known about them, such as the size of an
  // engine, and that they are removed.
  Status publish(store::RunRows& rows, schedule::ArtifactPublished published) {
    const std::string token = tokens_[published.attempt];
    published.path = fmt::format("artifacts/elsewhere/{}", token);
    published.in_place = false;
    ORCH_TRY(put(rows, published));
    const store::Removal removal{.token = token, .at = published.at};
    core_.records.add(store::k_store_record, store::to_fact(removal));
    return write_removal(core_.statements, removal);
  }

  // Ends the attempts that have no end: recovery would look for their processes, which never ran on
  // this host.
  Status end_attempts(store::RunRows& rows) {
    ORCH_ASSIGN(
        const auto tokens,
        core_.statements.texts("SELECT token FROM attempt WHERE run_id = ? AND ended_at IS NULL",
                               rows.run_id()));
    for (const std::string& token : tokens)
      ORCH_TRY(put(rows, schedule::AttemptLost{.token = token,
                                               .why = "it had no end when it was exported",
                                               .at = run_.record.info.started_at}));
    return {};
  }

  store::Core& core_;
  Numbers& numbers_;
  const ForeignRun& run_;
  const std::string file_;
  std::map<schedule::AttemptKey, std::string> tokens_;
};

class Merge {
 public:
  Merge(store::Core& core, const std::string& folder, const MergeOptions& options)
      : core_(core), folder_(folder), options_(options), numbers_(core) {}
  // Removes records that were copied but not merged.
  ~Merge() {
    if (is_merged_) return;
    for (const ForeignRun& run : fresh_) {
      static_cast<void>(core_.host.files.remove_tree(aside(run)).ok());
      static_cast<void>(core_.host.files.remove_tree(place(run)).ok());
    }
  }
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  Result<MergeReport> run() {
    ORCH_ASSIGN(const Bundle bundle, read_bundle(core_.host.files, folder_));
    MergeReport report;
    for (const BundledRun& one : bundle.runs) {
      ORCH_ASSIGN(ForeignRun run, read_foreign_run(core_.host.files, folder_, one));
      run.record.experiment = options_.prefix + run.record.experiment;
      ORCH_ASSIGN(const auto there,
                  core_.statements.integer("SELECT id FROM run WHERE uid = ?", run.record.uid));
      if (there) {
        ++report.known;
        ORCH_TRY(numbers_.know(run));
        continue;
      }
      fresh_.push_back(std::move(run));
      ORCH_TRY(copy_records(core_.host.files, folder_, fresh_.back(), aside(fresh_.back())));
      report.measurements += fresh_.back().bundled.records.size();
    }
    ORCH_TRY(put_in_place());
    ORCH_TRY(store::in_transaction(core_, [this] { return write_runs(); }));
    is_merged_ = true;
    system::kill_point("merge-committed");
    report.runs = fresh_.size();
    return report;
  }

 private:
  std::string place(const ForeignRun& run) const {
    return (core_.layout.artifacts() / run.record.uid).string();
  }
  std::string aside(const ForeignRun& run) const {
    return (core_.layout.artifacts() / (".merging-" + run.record.uid)).string();
  }

  // Moves the records into place before the commit. Nothing refers to them until then, and a merge
  // that is killed here can simply be repeated.
  Status put_in_place() {
    for (const ForeignRun& run : fresh_) {
      if (run.bundled.records.empty()) continue;
      ORCH_TRY(core_.host.files.remove_tree(place(run)));
      ORCH_TRY(core_.host.files.rename(aside(run), place(run)));
      system::kill_point("merge-placed");
    }
    return {};
  }

  Status write_runs() {
    for (const ForeignRun& run : fresh_) ORCH_TRY(RunWriter(core_, numbers_, run).write());
    return {};
  }

  store::Core& core_;
  const std::string& folder_;
  const MergeOptions& options_;
  Numbers numbers_;
  std::vector<ForeignRun> fresh_;
  bool is_merged_ = false;
};

}  // namespace

Result<ExportReport> export_runs(store::Store& store, const std::string& folder,
                                 const std::vector<std::string>& experiments) {
  ORCH_ASSIGN(const auto chosen, choose(store.core(), experiments));
  ORCH_TRY(store.core().host.files.make_folder(folder + "/objects"));
  Export writing(store, folder);
  for (const Chosen& run : chosen) ORCH_TRY(writing.run(run));
  ORCH_TRY(write_bundle(store.core().host.files, folder, writing.bundle));
  return std::move(writing.report);
}

Result<MergeReport> merge(store::Store& store, const std::string& folder,
                          const MergeOptions& options) {
  return Merge(store.core(), folder, options).run();
}

}  // namespace orch::keep
