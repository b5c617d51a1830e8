#include "store/record_log.hpp"

#include "system/files.hpp"
#include "system/kill_point.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace orch::store {

namespace {

std::int64_t size_of(const std::filesystem::path& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 ? facts.st_size : 0;
}

// Is what stands in FILE from byte FROM on one line, or the begin of one?
bool is_one_line(const std::filesystem::path& file, std::int64_t from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(from);
  std::string line;
  return in && std::getline(in, line) && in.peek() == std::ifstream::traits_type::eof();
}

Error too_old(const Layout& layout, const std::string& file) {
  return invalid(
      fmt::format("{} knows less than records/{}: it is older than its records, or another "
                  "store's; `orchestrate verify --rebuild` makes it anew from them",
                  layout.database().string(), file));
}

}  // namespace

std::vector<std::string> record_files(const Layout& layout) {
  std::vector<std::string> files;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(layout.records(), code), end;
       !code && entry != end; entry.increment(code))
    if (entry->path().extension() == ".jsonl" && entry->is_regular_file(code))
      files.push_back(entry->path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

Status RecordLog::open(Statements& statements, std::vector<std::string>& notices) {
  lengths_.clear();
  ORCH_TRY(statements.rows("SELECT path, bytes FROM record_file", [&](sql::Statement& row) {
    lengths_[row.column_text(0)] = row.column_int(1);
  }));
  for (const auto& [file, bytes] : lengths_)
    if (size_of(layout_.records() / file) < bytes)
      notices.push_back(
          fmt::format("records/{} has lost its end; what it said is in the database still, and "
                      "would not be after `orchestrate verify --rebuild`",
                      file));
  for (const std::string& file : record_files(layout_)) {
    const auto path = layout_.records() / file;
    const auto known = lengths_.find(file);
    const std::int64_t bytes = known == lengths_.end() ? 0 : known->second;
    if (size_of(path) <= bytes && known != lengths_.end()) continue;
    if (size_of(path) > bytes && !is_one_line(path, bytes)) return too_old(layout_, file);
    if (known == lengths_.end() ? ::unlink(path.c_str()) != 0
                                : ::truncate(path.c_str(), bytes) != 0)
      return io_error("cut", path.string(), errno);
  }
  return {};
}

void RecordLog::add(const std::string& file, std::string fact) {
  facts_[file].push_back(std::move(fact));
}

Status RecordLog::write(Statements& statements) {
  for (const auto& [file, facts] : facts_) {
    const std::string line = fmt::format("[{}]\n", fmt::join(facts, ","));
    ORCH_TRY(append(file, line));
    ORCH_TRY(
        statements.run("INSERT INTO record_file (path, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE "
                       "SET bytes = excluded.bytes",
                       file, size_of(layout_.records() / file)));
  }
  if (!facts_.empty()) system::kill_point("record-appended");
  return {};
}

Status RecordLog::append(const std::string& file, const std::string& line) {
  const auto path = layout_.records() / file;
  const system::Descriptor descriptor(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!descriptor) return io_error("open", path.string(), errno);
  // Behind a line that was torn, a line of its own.
  const std::string bytes = size_of(path) < lengths_[file] ? "\n" + line : line;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error("write", path.string(), errno);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

void RecordLog::committed() {
  if (facts_.empty()) return;
  for (const auto& [file, facts] : facts_) lengths_[file] = size_of(layout_.records() / file);
  facts_.clear();
  system::kill_point("record-committed");
}

void RecordLog::undone() {
  for (const auto& [file, facts] : facts_) {
    const auto path = layout_.records() / file;
    // What cannot be cut now is cut when the store is opened next.
    if (size_of(path) > lengths_[file])
      static_cast<void>(::truncate(path.c_str(), lengths_[file]) == 0);
  }
  facts_.clear();
}

Status RecordLog::sync(const std::string& file) const {
  const auto path = layout_.records() / file;
  const system::Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor || ::fsync(descriptor.get()) != 0) return io_error("write", path.string(), errno);
  return {};
}

}  // namespace orch::store
