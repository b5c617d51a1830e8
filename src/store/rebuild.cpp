#include "store/rebuild.hpp"

#include "base/json_text.hpp"
#include "store/core.hpp"
#include "store/event_record.hpp"
#include "store/plan_rows.hpp"
#include "system/kill_point.hpp"
#include "system/lines.hpp"
#include "tables/schema.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

constexpr std::size_t k_most_notices = 20;

struct Line {
  int number = 0;
  json facts;
};

// One record file. A last line without its newline was never committed.
struct File {
  std::string name;
  std::int64_t run = 0;  // 0: belongs to no run
  std::vector<Line> lines;
  std::int64_t bytes = 0;  // up to the end of the last whole line
};

class Rebuild {
 public:
  Rebuild(const Host& host, Layout layout, sql::Database database)
      : core_(host, std::move(layout), std::nullopt, std::move(database)) {}

  Status prepare() {
    ORCH_TRY(core_.database.execute(
        "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF"));
    ORCH_TRY(tables::migrate(core_.database, core_.host.files, core_.layout.database().string()));
    ORCH_TRY(core_.wide.load());
    return in_transaction(core_,
                          [this] { return tables::refresh_views(core_.statements, core_.wide); });
  }

  Status replay(const std::vector<File>& files) {
    for (const File& file : files) {
      journal_.reset();
      for (const Line& line : file.lines) replay(file, line);
      ORCH_TRY(core_.statements.run("INSERT INTO record_file (path, bytes) VALUES (?, ?)",
                                    file.name, file.bytes));
    }
    return {};
  }

  std::vector<std::string> notices;

  void note(const File& file, int line, const std::string& why) {
    if (notices.size() < k_most_notices)
      notices.push_back(fmt::format("records/{}:{}: {}; this line is lost", file.name, line, why));
    else if (notices.size() == k_most_notices) notices.push_back("... and more");
  }

 private:
  void replay(const File& file, const Line& line) {
    const Status written = in_transaction(core_, [&]() -> Status {
      for (const json& fact : line.facts) ORCH_TRY(write(file, fact));
      return {};
    });
    if (!written.ok()) note(file, line.number, written.error().text());
  }

  Status write(const File& file, const json& fact) {
    if (!fact.is_object() || fact.size() != 1) return invalid("not a fact of a run record");
    const std::string kind = fact.begin().key();
    if (kind == "run") return begin(file, fact);
    if (kind == "resolved") {
      ORCH_ASSIGN(const Resolution resolution, parse_resolution(dump(fact)));
      return write_resolution(core_.statements, resolution);
    }
    if (kind == "removed") {
      ORCH_ASSIGN(const Removal removal, parse_removal(dump(fact)));
      return write_removal(core_.statements, removal);
    }
    if (!journal_) return invalid("its run could not be read");
    if (kind == "finished")
      return journal_->write_finished(text(*fact.begin(), "outcome"),
                                      fact.begin()->value("at", 0.0));
    if (kind == "planned" || kind == "amended") return write_plan(fact);
    ORCH_ASSIGN(const schedule::Event event, parse_event(dump(fact)));
    return journal_->write(event);
  }

  Status begin(const File& file, const json& fact) {
    ORCH_ASSIGN(const RunRecord run, parse_run(dump(fact)));
    ORCH_ASSIGN(const PlanRows rows, write_run(core_, run));
    const auto host = run.info.machine.find("host");
    journal_.emplace(core_, rows.run_id, file.name,
                     host == run.info.machine.end() ? "" : host->second, rows.stages);
    return {};
  }

  Status write_plan(const json& fact) {
    ORCH_ASSIGN(const PlanFact plan, parse_plan(dump(fact)));
    return plan.amended ? journal_->write_amended(plan.plan, plan.at)
                        : journal_->write_planned(plan.plan, plan.at);
  }

  static std::string text(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  }

  Core core_;
  std::optional<RunJournal> journal_;
};

// The run that FILE belongs to, from its first fact; 0 without one.
std::int64_t run_of(const File& file) {
  if (file.lines.empty() || file.lines[0].facts.empty() || !file.lines[0].facts[0].is_object())
    return 0;
  const auto run = file.lines[0].facts[0].find("run");
  return run != file.lines[0].facts[0].end() && run->is_object() ? run->value("id", std::int64_t{0})
                                                                 : 0;
}

Result<File> read_file(system::Files& files, const Layout& layout, const std::string& name,
                       std::vector<std::pair<int, std::string>>& bad) {
  File file{.name = name, .lines = {}};
  system::Lines lines(files, (layout.records() / name).string());
  std::string line;
  for (int number = 1;; ++number) {
    ORCH_ASSIGN(const bool more, lines.next(line));
    if (!more || !lines.terminated()) break;
    file.bytes = static_cast<std::int64_t>(lines.position());
    json facts = json::parse(line, nullptr, false);
    if (facts.is_array()) file.lines.push_back({number, std::move(facts)});
    else if (!line.empty()) bad.emplace_back(number, "not JSON");
  }
  file.run = run_of(file);
  return file;
}

// The ids of runs in the database that have no record, which a rebuild would lose.
std::string runs_without_record(system::Files& files, const Layout& layout) {
  auto database =
      sql::Database::open(layout.database().string(), {.access = sql::Access::read_only});
  if (!database.ok()) return "";
  tables::Statements statements(*database);
  std::string numbers;
  const Status read =
      statements.rows("SELECT id, uid FROM run ORDER BY id", [&](sql::Statement& row) {
        if (!files.stat((layout.records() / (row.column_text(1) + ".jsonl")).string()))
          numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", row.column_int(0));
      });
  return read.ok() ? numbers : "";
}

// The first unused name for the replaced database.
std::string free_name(system::Files& files, const std::string& path) {
  for (int n = 1;; ++n) {
    const std::string name = fmt::format("{}.replaced-{}", path, n);
    if (!files.exists(name) && !files.exists(name + "-wal") && !files.exists(name + "-shm"))
      return name;
  }
}

// The write-ahead log is moved first: after a crash in between, the old database without its log is
// recognised as older than its records.
Status swap(system::Files& files, const std::string& path, const std::string& fresh,
            RebuildReport& out) {
  const std::string old = free_name(files, path);
  if (files.exists(path)) out.kept_as = old;
  for (const char* suffix : {"-wal", "-shm", ""})
    if (files.exists(path + suffix)) ORCH_TRY(files.rename(path + suffix, old + suffix));
  return files.rename(fresh, path);
}

}  // namespace

Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root) {
  std::error_code code;
  const Layout layout{
      std::filesystem::weakly_canonical(std::filesystem::absolute(root, code), code)};
  const std::vector<std::string> names = record_files(host.files, layout);
  if (names.empty())
    return Error{
        .kind = ErrorKind::not_found,
        .message = fmt::format("no records in {}: there is nothing to rebuild a database from",
                               layout.records().string()),
        .where = {}};
  ORCH_ASSIGN(const Lock lock, Lock::take(host, layout.lock()));
  if (const std::string missing = runs_without_record(host.files, layout); !missing.empty())
    return invalid(
        fmt::format("{} holds runs without a record ({}), which a rebuild would lose; move it away "
                    "to continue without them",
                    layout.database().string(), missing));

  const std::string path = layout.database().string(), fresh = path + ".rebuilding";
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    ORCH_TRY(host.files.remove_tree(fresh + suffix));
  RebuildReport out;
  {
    ORCH_ASSIGN(sql::Database database,
                sql::Database::open(fresh, {.access = sql::Access::create}));
    system::kill_point("rebuild-begun");
    auto work = std::make_unique<Rebuild>(host, layout, std::move(database));
    ORCH_TRY(work->prepare());
    std::vector<File> files;
    for (const std::string& name : names) {
      std::vector<std::pair<int, std::string>> bad;
      ORCH_ASSIGN(File file, read_file(host.files, layout, name, bad));
      files.push_back(std::move(file));
      for (const auto& [number, why] : bad) work->note(files.back(), number, why);
      out.runs += files.back().run > 0;
    }
    // Facts outside of runs refer to rows of runs and are replayed last.
    std::stable_sort(files.begin(), files.end(), [](const File& a, const File& b) {
      return (a.run ? a.run : INT64_MAX) < (b.run ? b.run : INT64_MAX);
    });
    ORCH_TRY(work->replay(files));
    out.notices = std::move(work->notices);
    for (const File& file : files)
      ORCH_TRY(host.files.truncate((layout.records() / file.name).string(),
                                   static_cast<std::uint64_t>(file.bytes)));
  }
  ORCH_TRY(host.files.sync(fresh));
  system::kill_point("rebuild-built");
  ORCH_TRY(swap(host.files, path, fresh, out));
  system::kill_point("rebuild-swapped");
  return out;
}

}  // namespace orch::store
