#include "store/record_log.hpp"

#include "system/kill_point.hpp"
#include "system/lines.hpp"

namespace orch::store {

namespace {

// Whether the file at PATH holds exactly one line, or the beginning of one, from byte FROM on.
Result<bool> is_one_line(system::Files& files, const std::string& path, std::int64_t from) {
  system::Lines lines(files, path, static_cast<std::uint64_t>(from));
  std::string line;
  ORCH_ASSIGN(const bool first, lines.next(line));
  ORCH_ASSIGN(const bool second, lines.next(line));
  return first && !second;
}

Error too_old(const Layout& layout, const std::string& file) {
  return invalid(
      fmt::format("{} holds less than records/{}: it is older than its records or belongs to "
                  "another store; `orchestrate verify --rebuild` rebuilds it from them",
                  layout.database().string(), file));
}

}  // namespace

std::vector<std::string> record_files(system::Files& files, const Layout& layout) {
  auto names = files.names(layout.records().string());
  if (!names) return {};
  std::erase_if(*names, [&](const std::string& name) {
    if (std::filesystem::path(name).extension() != ".jsonl") return true;
    const auto facts = files.stat((layout.records() / name).string());
    return !facts || !facts->is_regular;
  });
  return *names;
}

std::string RecordLog::path_of(const std::string& file) const {
  return (layout_.records() / file).string();
}

std::int64_t RecordLog::size_of(const std::string& file) const {
  const auto facts = files_.stat(path_of(file));
  return facts ? static_cast<std::int64_t>(facts->bytes) : 0;
}

Status RecordLog::open(tables::Statements& statements, std::vector<std::string>& notices) {
  lengths_.clear();
  ORCH_TRY(statements.rows("SELECT path, bytes FROM record_file", [&](sql::Statement& row) {
    lengths_[row.column_text(0)] = row.column_int(1);
  }));
  for (const auto& [file, bytes] : lengths_)
    if (size_of(file) < bytes)
      notices.push_back(
          fmt::format("records/{} is truncated; the database still holds its content, but "
                      "`orchestrate verify --rebuild` would lose it",
                      file));
  for (const std::string& file : record_files(files_, layout_)) {
    const std::string path = path_of(file);
    const auto known = lengths_.find(file);
    const std::int64_t bytes = known == lengths_.end() ? 0 : known->second;
    if (size_of(file) <= bytes && known != lengths_.end()) continue;
    if (size_of(file) > bytes) {
      ORCH_ASSIGN(const bool torn, is_one_line(files_, path, bytes));
      if (!torn) return too_old(layout_, file);
    }
    if (known == lengths_.end()) ORCH_TRY(files_.remove_tree(path));
    else ORCH_TRY(files_.truncate(path, static_cast<std::uint64_t>(bytes)));
  }
  return {};
}

void RecordLog::add(const std::string& file, std::string fact) {
  facts_[file].push_back(std::move(fact));
}

Status RecordLog::write(tables::Statements& statements) {
  for (const auto& [file, facts] : facts_) {
    const std::string line = fmt::format("[{}]\n", fmt::join(facts, ","));
    ORCH_TRY(append(file, line));
    ORCH_TRY(
        statements.run("INSERT INTO record_file (path, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE "
                       "SET bytes = excluded.bytes",
                       file, size_of(file)));
  }
  if (!facts_.empty()) system::kill_point("record-appended");
  return {};
}

Status RecordLog::append(const std::string& file, const std::string& line) {
  // A line that lost its end is terminated first.
  return files_.append(path_of(file), size_of(file) < lengths_[file] ? "\n" + line : line);
}

void RecordLog::committed() {
  if (facts_.empty()) return;
  for (const auto& [file, facts] : facts_) lengths_[file] = size_of(file);
  facts_.clear();
  system::kill_point("record-committed");
}

void RecordLog::rolled_back() {
  for (const auto& [file, facts] : facts_) {
    // A failure is harmless: open() cuts the line off the next time.
    if (size_of(file) > lengths_[file])
      static_cast<void>(
          files_.truncate(path_of(file), static_cast<std::uint64_t>(lengths_[file])).ok());
  }
  facts_.clear();
}

Status RecordLog::sync(const std::string& file) const { return files_.sync(path_of(file)); }

}  // namespace orch::store
