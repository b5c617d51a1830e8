#include "results/store/rebuild.hpp"

#include "core/base/fields_json.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/store/records/record_log.hpp"
#include "results/store/run_rows.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/scores.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

constexpr std::uint64_t k_manifest_bytes = std::uint64_t{64} << 20;

std::string output_key(const std::string& token) { return "output " + token; }
std::string run_key(const std::string& uid) { return "run " + uid; }

// The text of KEY in the JSON object in FILE, or "".
std::string text_in(system::Files& files, const std::filesystem::path& file, const char* key) {
  const auto text = files.read_text(file.string(), k_manifest_bytes);
  const auto object = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

constexpr std::size_t k_most_notices = 20;

struct Line {
  int number = 0;
  List facts;
};

// One record file. A last line without a newline was never committed and is left out.
struct File {
  std::string name;
  std::int64_t run = 0;  // 0: belongs to no run
  std::vector<Line> lines = {};
  std::int64_t bytes = 0;  // up to the end of the last complete line
  std::string sum = {};    // the checksum of that line
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
    return in_transaction(core_, [this]() -> Status {
      ORCH_TRY(core_.wide.complete());
      return tables::refresh_views(core_.statements, core_.wide);
    });
  }

  Status replay(const std::vector<File>& files) {
    for (const File& file : files) {
      rows_.reset();
      for (const Line& line : file.lines) ORCH_TRY(replay(file, line));
      ORCH_TRY(add_file(file));
    }
    return {};
  }

  tables::Statements& statements() { return core_.statements; }

  std::vector<std::string> notices;

  void note(const File& file, int line, const std::string& why) {
    if (notices.size() < k_most_notices)
      notices.push_back(fmt::format("records/{}:{}: {}; this line is lost", file.name, line, why));
    else if (notices.size() == k_most_notices) notices.push_back("... and more");
  }

 private:
  Status replay(const File& file, const Line& line) {
    const Status written = in_transaction(core_, [&]() -> Status {
      for (const Value& fact : line.facts) ORCH_TRY(write(fact));
      return {};
    });
    if (written.ok()) return {};
    // An I/O error is not the record's fault.
    if (written.error().kind == ErrorKind::io) return written;
    note(file, line.number, written.error().text());
    return {};
  }

  Status add_file(const File& file) {
    ORCH_ASSIGN(const std::string text,
                core_.host.files.read_block((core_.layout.records() / file.name).string(), 0,
                                            static_cast<std::size_t>(file.bytes)));
    return in_transaction(core_, [&]() -> Status {
      ORCH_TRY(core_.statements.run("INSERT INTO record_file (path, bytes, sum) VALUES (?, ?, ?)",
                                    file.name, file.bytes, file.sum));
      return RecordCopies(core_.statements).add(file.name, 0, text);
    });
  }

  Status write(const Value& fact) {
    const auto* object = std::get_if<Object>(&fact);
    if (!object || object->size() != 1) return invalid("not a fact of a run record");
    const std::string& kind = object->front().first;
    if (kind == "run") return begin(fact);
    if (kind == "resolved") {
      ORCH_ASSIGN(const Resolution resolution, parse_fact<Resolution>(fact));
      return write_resolution(core_.statements, resolution);
    }
    if (kind == "removed") {
      ORCH_ASSIGN(const Removal removal, parse_fact<Removal>(fact));
      return write_removal(core_.statements, removal);
    }
    if (kind == "forgotten") {
      ORCH_ASSIGN(const Forgotten forgotten, parse_fact<Forgotten>(fact));
      return write_forgotten(core_.statements, forgotten);
    }
    if (kind == "scored") {
      ORCH_ASSIGN(const tables::Scored scored, tables::parse_scored(fact));
      return tables::write_scored(core_.statements, core_.wide, scored);
    }
    if (!rows_) return invalid("its run could not be read");
    if (kind == "finished") {
      ORCH_ASSIGN(const Finished finished, parse_fact<Finished>(fact));
      return rows_->write(finished);
    }
    if (kind == "planned" || kind == "amended") return write_plan(fact);
    ORCH_ASSIGN(const schedule::Event event, parse_event(fact));
    return rows_->write(event);
  }

  Status begin(const Value& fact) {
    ORCH_ASSIGN(const RunRecord run, parse_run(fact));
    ORCH_ASSIGN(rows_, RunRows::begin(core_, run));
    return {};
  }

  Status write_plan(const Value& fact) {
    ORCH_ASSIGN(const PlanFact plan, parse_plan(fact));
    ORCH_TRY(plan.amended ? rows_->amend(plan.plan, plan.at) : rows_->write(plan.plan, plan.at));
    return {};
  }

  Core core_;
  std::optional<RunRows> rows_;
};

// The run to which FILE belongs, according to its first fact; 0 if it belongs to none.
std::int64_t run_of(const File& file) {
  if (file.lines.empty() || file.lines[0].facts.empty()) return 0;
  const auto run = parse_run(file.lines[0].facts[0]);
  return run ? run->id : 0;
}

Result<File> read_file(system::Files& files, const Layout& layout, const std::string& name,
                       std::vector<std::pair<int, std::string>>& bad) {
  File file{.name = name};
  system::Lines lines(files, (layout.records() / name).string());
  RecordLines reader;
  std::string line;
  for (int number = 1;; ++number) {
    ORCH_ASSIGN(const bool more, lines.next(line));
    if (!more || !lines.terminated()) break;
    file.bytes = static_cast<std::int64_t>(lines.position());
    if (line.empty()) continue;
    const auto text = reader.facts(line);
    const auto facts = text ? parse_value(*text) : Result<Value>(text.error());
    const auto* list = facts ? std::get_if<List>(&*facts) : nullptr;
    if (list) file.lines.push_back({number, *list});
    else bad.emplace_back(number, facts ? "it is not a JSON list" : facts.error().message);
  }
  file.sum = reader.sum();
  file.run = run_of(file);
  return file;
}

// The database to be replaced, as far as it can be read.
struct Old {
  bool readable = false;
  Knowledge knowledge;
  std::vector<std::string> repaired;
};

// Also restores the records from the old database, because the new one is built from them.
Old read_old(const Host& host, const Layout& layout) {
  Old old;
  auto database =
      sql::Database::open(layout.database().string(), {.access = sql::Access::read_only});
  if (!database.ok()) return old;
  tables::Statements statements(*database);
  auto knowledge = knowledge_of(statements);
  if (!knowledge) return old;
  old.readable = true;
  old.knowledge = std::move(*knowledge);
  // Errors are ignored: older versions have no copies of records, and a damaged database may lack
  // some.
  static_cast<void>(RecordLog(host, layout, statements).repair(old.repaired).ok());
  return old;
}

// Fails if FRESH lacks entries of WANTED, and lists them.
Status refuse_loss(const Knowledge& wanted, const Knowledge& fresh) {
  static constexpr std::size_t k_named = 10;
  std::vector<std::string> lost = missing(wanted, fresh);
  if (lost.empty()) return {};
  const std::size_t count = lost.size();
  if (count > k_named) lost.resize(k_named);
  return invalid(fmt::format(
      "the records hold less than the database: a rebuild would lose {}{}; restore the records "
      "from a backup, or accept the loss with --accept-loss",
      fmt::join(lost, ", "), count > k_named ? fmt::format(" and {} more", count - k_named) : ""));
}

// The first unused name for the database that is replaced.
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

Error no_records(const Layout& layout) {
  return not_found(fmt::format("no records in {}: there is nothing to rebuild a database from",
                               layout.records().string()));
}

Status remove_unfinished(system::Files& files, const std::string& fresh) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    ORCH_TRY(files.remove_tree(fresh + suffix));
  return {};
}

// Writes a database to the path FRESH from the records, and compares it with OLD.
Result<RebuildReport> build(const Host& host, const Layout& layout, const std::string& fresh,
                            const Old& old, const RebuildOptions& options) {
  RebuildReport out{.notices = old.repaired};
  ORCH_ASSIGN(sql::Database database, sql::Database::open(fresh, {.access = sql::Access::create}));
  system::kill_point("rebuild-begun");
  const auto work = std::make_unique<Rebuild>(host, layout, std::move(database));
  ORCH_TRY(work->prepare());
  std::vector<File> files;
  for (const std::string& name : record_files(host.files, layout)) {
    std::vector<std::pair<int, std::string>> bad;
    ORCH_ASSIGN(File file, read_file(host.files, layout, name, bad));
    files.push_back(std::move(file));
    for (const auto& [number, why] : bad) work->note(files.back(), number, why);
    out.runs += files.back().run > 0;
  }
  // Facts that do not belong to a run refer to rows of runs, so they are replayed last.
  std::ranges::stable_sort(files, [](const File& a, const File& b) {
    return (a.run ? a.run : INT64_MAX) < (b.run ? b.run : INT64_MAX);
  });
  ORCH_TRY(work->replay(files));
  ORCH_ASSIGN(const Knowledge known, knowledge_of(work->statements()));
  if (!options.accept_loss)
    ORCH_TRY(refuse_loss(old.readable ? old.knowledge : knowledge_of_artifacts(host.files, layout),
                         known));
  out.notices.insert(out.notices.end(), work->notices.begin(), work->notices.end());
  for (const File& file : files)
    ORCH_TRY(host.files.truncate((layout.records() / file.name).string(),
                                 static_cast<std::uint64_t>(file.bytes)));
  return out;
}

}  // namespace

Result<Knowledge> knowledge_of(tables::Statements& statements) {
  Knowledge all;
  ORCH_TRY(statements.rows("SELECT uid, id FROM run", [&](sql::Statement& row) {
    all[run_key(row.column_text(0))] = fmt::format("run {}", row.column_int(1));
  }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, s.name, a.number, a.run_id FROM attempt a JOIN stage s ON s.id = a.stage_id "
      "WHERE a.ended_at IS NOT NULL",
      [&](sql::Statement& row) {
        all["end " + row.column_text(0)] =
            fmt::format("the end of attempt {} at '{}' in run {}", row.column_int(2),
                        row.column_text(1), row.column_int(3));
      }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, f.path FROM artifact f JOIN attempt a ON a.id = f.attempt_id",
      [&](sql::Statement& row) { all[output_key(row.column_text(0))] = row.column_text(1); }));
  ORCH_TRY(statements.rows(
      "SELECT a.token, m.ordinal, m.path, (SELECT count(*) FROM request r WHERE r.measurement_id = "
      "m.id) FROM measurement m JOIN attempt a ON a.id = m.attempt_id WHERE m.record_sha256 <> ''",
      [&](sql::Statement& row) {
        all[fmt::format("measurement {} {} {}", row.column_text(0), row.column_int(1),
                        row.column_int(3))] = fmt::format("a measurement of {} requests in {}",
                                                          row.column_int(3), row.column_text(2));
      }));
  ORCH_ASSIGN(const auto scores,
              statements.integer("SELECT 1 FROM sqlite_schema WHERE name = 'score'"));
  if (!scores) return all;  // the database is of an older version
  ORCH_TRY(statements.rows(
      "SELECT a.token, m.ordinal, s.scorer FROM score s JOIN measurement m ON m.id = "
      "s.measurement_id JOIN attempt a ON a.id = m.attempt_id",
      [&](sql::Statement& row) {
        all[fmt::format("score {} {} {}", row.column_text(0), row.column_int(1),
                        row.column_text(2))] =
            fmt::format("the scores '{}' of attempt {}", row.column_text(2), row.column_text(0));
      }));
  return all;
}

Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout) {
  Knowledge all;
  for (const std::string& name : files.names(layout.artifacts().string()).value_or({})) {
    const auto folder = layout.artifacts() / name;
    if (const std::string token = text_in(files, folder / "manifest.json", "token"); !token.empty())
      all[output_key(token)] = "artifacts/" + name;
    // A record from the inbox.
    if (const std::string uid = text_in(files, folder / "record.json", "uid"); !uid.empty())
      all[run_key(uid)] = "artifacts/" + name;
  }
  return all;
}

std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found) {
  std::vector<std::string> words;
  for (const auto& [key, word] : wanted)
    if (!found.contains(key)) words.push_back(word);
  return words;
}

Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root,
                              const RebuildOptions& options) {
  std::error_code code;
  const Layout layout{
      std::filesystem::weakly_canonical(std::filesystem::absolute(root, code), code)};
  if (!host.files.stat(layout.records().string())) return no_records(layout);
  ORCH_ASSIGN(const Lock lock, Lock::take(host, layout));
  const Old old = read_old(host, layout);
  if (record_files(host.files, layout).empty()) return no_records(layout);
  const std::string path = layout.database().string(), fresh = path + ".rebuilding";
  ORCH_TRY(remove_unfinished(host.files, fresh));
  auto built = build(host, layout, fresh, old, options);
  if (!built.ok()) {
    static_cast<void>(remove_unfinished(host.files, fresh).ok());
    return built.error();
  }
  ORCH_TRY(host.files.sync(fresh));
  system::kill_point("rebuild-built");
  ORCH_TRY(swap(host.files, path, fresh, *built));
  system::kill_point("rebuild-swapped");
  return built;
}

}  // namespace orch::store
