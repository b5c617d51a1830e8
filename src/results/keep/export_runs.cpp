#include "results/keep/export_runs.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/plan_record.hpp"
#include "results/store/records/record_line.hpp"
#include "os/system/lines.hpp"
#include "results/tables/record_columns.hpp"

#include <set>

namespace orch::keep {

namespace {

// The runs of the experiments, and those that made an attempt at a stage of their points.
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
    run_ = BundledRun{.uid = run.uid, .experiment = run.experiment, .facts = {}, .records = {}};
    // A run is known by its uid: merged now, it would stay as it is now.
    if (!run.is_over && is_in_use_) {
      report.notices.push_back(fmt::format("run {} is not over; it is left out", run.id));
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
  // A stage is described by the first record that has it: here, each run describes its own.
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
          k_content, [&](sql::Statement& row) { tables::read_columns(row, 0, contents[i]); },
          run.id, plan.plan.stages[i].id));
    }
    return store::to_fact(plan.plan, contents, plan.amended, plan.at);
  }

  Result<bool> add_record(const std::string& path) {
    const auto folder = core_.layout.record(files_, path);
    BundledRecord record{.path = path, .files = {}};
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
  const bool is_in_use_;  // by a run
  BundledRun run_;
};

Result<std::vector<Chosen>> choose(store::Core& core, const std::vector<std::string>& experiments) {
  std::set<std::int64_t> ids;
  std::vector<Chosen> chosen;
  const auto take = [&](sql::Statement& row) {
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
    const std::size_t before = chosen.size();
    ORCH_TRY(core.statements.rows(k_runs, take, experiment));
    if (chosen.size() == before && ids.empty())
      return Error{ErrorKind::not_found,
                   fmt::format("no experiment {} in this store", quoted(experiment)),
                   {}};
  }
  std::ranges::sort(chosen, [](const Chosen& a, const Chosen& b) { return a.id < b.id; });
  return chosen;
}

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

}  // namespace orch::keep
