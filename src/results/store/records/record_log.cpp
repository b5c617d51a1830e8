#include "results/store/records/record_log.hpp"

#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "core/sql/packed.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/kill_point.hpp"

#include <system_error>

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

constexpr std::size_t k_sum_digits = 16;

std::string sum_of(std::string_view before, std::string_view facts) {
  return sha256(fmt::format("{}\n{}", before, facts)).hex().substr(0, k_sum_digits);
}

// The checksum at the end of LINE, or "" if it has none. Sets FACTS to the part that the checksum
// covers.
std::string_view split_sum(std::string_view line, std::string_view& facts) {
  constexpr std::size_t k_end = k_sum_digits + 4;  // ,"..."]
  if (line.size() < k_end + 1 || !line.ends_with("\"]")) return {};
  const std::string_view end = line.substr(line.size() - k_end);
  if (!end.starts_with(",\"")) return {};
  facts = line.substr(1, line.size() - k_end - 1);
  return end.substr(2, k_sum_digits);
}

// Pieces are limited, because SQLite limits the size of a value and a piece is unpacked as a whole.
constexpr std::size_t k_piece_bytes = std::size_t{16} << 20;
constexpr std::size_t k_most_piece_bytes = std::size_t{1} << 30;

// How much of the end of a file is compared at open: a power failure damages the end.
constexpr std::int64_t k_tail_bytes = 4096;

// Whether the file at PATH contains exactly one line, or the beginning of one, from byte FROM on.
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

std::string record_line(const std::vector<std::string>& facts, std::string& sum) {
  const std::string joined = fmt::format("{}", fmt::join(facts, ","));
  sum = sum_of(sum, joined);
  return fmt::format("[{},\"{}\"]\n", joined, sum);
}

Result<std::string> RecordLines::facts(std::string_view line) {
  const std::string before = std::exchange(sum_, {});
  const nlohmann::json list = nlohmann::json::parse(line, nullptr, false);
  if (!list.is_array()) return invalid("not a JSON list");
  if (list.empty() || !list.back().is_string()) return std::string(line);
  std::string_view covered;
  sum_ = split_sum(line, covered);
  // The next line is checked against this line's stated checksum, so that one fault is reported
  // once.
  if (sum_.empty() || sum_ != sum_of(before, covered))
    return invalid("its checksum differs: it was changed, or a line before it is missing");
  return fmt::format("[{}]", covered);
}

int first_damaged_line(std::string_view text, std::string& why) {
  RecordLines lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const auto facts = lines.facts(text.substr(0, end));
    if (!facts) why = facts.error().message;
    else if (end == std::string_view::npos) why = "it is truncated";
    if (!facts || end == std::string_view::npos) return number;
    text.remove_prefix(end + 1);
  }
  return 0;
}

bool ends_with_sum(std::string_view text, const std::string& sum) {
  if (!text.ends_with('\n')) return false;
  if (sum.empty()) return true;  // written by an older version
  RecordLines lines;
  for (bool is_first = true; !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
    const std::string_view line = text.substr(0, text.find('\n'));
    std::string_view covered;
    if (!is_first && !lines.facts(line)) return false;
    // TEXT may even begin inside the checksum of a line.
    if (is_first) lines = RecordLines(std::string(split_sum(line, covered)));
    is_first = is_first && lines.sum().empty();
  }
  return lines.sum() == sum;
}

Status RecordCopies::add(const std::string& file, std::int64_t from, std::string_view text) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, k_piece_bytes);
    ORCH_TRY(statements_.run(
        "INSERT INTO record_copy (path, from_byte, bytes, piece) VALUES (?, ?, ?, ?)", file, from,
        piece.size(), sql::Cell(sql::Blob{pack(piece)})));
    from += static_cast<std::int64_t>(piece.size());
    text.remove_prefix(piece.size());
  }
  return {};
}

Result<std::int64_t> RecordCopies::size(const std::string& file) {
  ORCH_ASSIGN(
      const auto size,
      statements_.integer("SELECT max(from_byte + bytes) FROM record_copy WHERE path = ?", file));
  return size.value_or(0);
}

Result<std::string> RecordCopies::read(const std::string& file, std::int64_t from) {
  std::string text;
  std::int64_t at = -1;  // the offset at which `text` begins
  Status unpacked;
  ORCH_TRY(statements_.rows(
      "SELECT from_byte, piece FROM record_copy WHERE path = ? AND from_byte + bytes > ? ORDER BY "
      "from_byte",
      file, from, [&](sql::Statement& row) {
        if (at < 0) at = row.column_int(0);
        const auto piece = unpack(row.column_blob(1), k_most_piece_bytes);
        if (!piece) unpacked = piece.error().within(fmt::format("the copy of records/{}", file));
        else text += *piece;
      }));
  ORCH_TRY(unpacked);
  return at < from && at >= 0 ? text.substr(static_cast<std::size_t>(from - at)) : text;
}

Status RecordCopies::fold() {
  ORCH_ASSIGN(const auto files,
              statements_.texts(
                  "SELECT path FROM record_copy WHERE bytes < ? GROUP BY path HAVING count(*) > 1",
                  k_piece_bytes));
  for (const std::string& file : files) ORCH_TRY(fold(file));
  return {};
}

Status RecordCopies::fold(const std::string& file) {
  // Pieces that are already full stay unchanged.
  ORCH_ASSIGN(
      const auto from,
      statements_.integer("SELECT min(from_byte) FROM record_copy WHERE path = ? AND bytes < ?",
                          file, k_piece_bytes));
  ORCH_ASSIGN(const std::string text, read(file, from.value_or(0)));
  ORCH_TRY(statements_.run("DELETE FROM record_copy WHERE path = ? AND from_byte >= ?", file,
                           from.value_or(0)));
  return add(file, from.value_or(0), text);
}

std::vector<std::string> record_files(system::Files& files, const Layout& layout) {
  auto names = files.names(layout.records().string()).value_or({});
  std::erase_if(names, [&](const std::string& name) {
    if (std::filesystem::path(name).extension() != ".jsonl") return true;
    const auto facts = files.stat((layout.records() / name).string());
    return !facts || !facts->is_regular;
  });
  return names;
}

std::string RecordLog::path_of(const std::string& file) const {
  return (layout_.records() / file).string();
}

std::int64_t RecordLog::size_of(const std::string& file) const {
  const auto facts = files_.stat(path_of(file));
  return facts ? static_cast<std::int64_t>(facts->bytes) : 0;
}

Status RecordLog::load() {
  known_.clear();
  return statements_.rows("SELECT path, bytes, sum FROM record_file", [&](sql::Statement& row) {
    known_[row.column_text(0)] = {row.column_int(1), row.column_text(2)};
  });
}

Status RecordLog::open(std::vector<std::string>& repaired) {
  ORCH_TRY(load());
  for (const std::string& file : record_files(files_, layout_)) ORCH_TRY(drop_uncommitted(file));
  for (const auto& [file, known] : known_) ORCH_TRY(copy_older(file, known));
  return check(false, repaired);
}

Status RecordLog::repair(std::vector<std::string>& repaired) {
  ORCH_TRY(load());
  return check(true, repaired);
}

Status RecordLog::drop_uncommitted(const std::string& file) {
  const auto known = known_.find(file);
  const std::int64_t bytes = known == known_.end() ? 0 : known->second.bytes;
  const std::int64_t size = size_of(file);
  if (size > bytes) {
    ORCH_ASSIGN(const bool torn, is_one_line(files_, path_of(file), bytes));
    if (!torn) return too_old(layout_, file);
    if (known != known_.end()) return cut(file, bytes);
  }
  if (known != known_.end()) return {};
  ORCH_TRY(files_.remove_tree(path_of(file)));
  // The removal must be durable: if the file reappeared, a rebuild would find two runs with the
  // same id.
  return files_.sync(layout_.records().string());
}

Status RecordLog::cut(const std::string& file, std::int64_t bytes) {
  ORCH_ASSIGN(const auto opened, files_.open(path_of(file)));
  ORCH_ASSIGN(const std::uint64_t size, opened->size());
  if (size <= static_cast<std::uint64_t>(bytes)) return {};
  ORCH_TRY(opened->truncate(static_cast<std::uint64_t>(bytes)));
  return opened->sync();
}

Status RecordLog::copy_older(const std::string& file, const Known& known) {
  ORCH_ASSIGN(const std::int64_t copied, copies_.size(file));
  if (copied >= known.bytes || size_of(file) < known.bytes) return {};
  ORCH_ASSIGN(const std::string text,
              files_.read_block(path_of(file), static_cast<std::uint64_t>(copied),
                                static_cast<std::size_t>(known.bytes - copied)));
  std::string why;
  if (copied == 0 && first_damaged_line(text, why) > 0) return {};
  ORCH_ASSIGN(auto transaction, sql::Transaction::begin(statements_.database()));
  ORCH_TRY(copies_.add(file, copied, text));
  return transaction.commit();
}

Result<std::string> RecordLog::damage(const std::string& file, const Known& known, bool all) {
  const std::int64_t size = size_of(file);
  if (!files_.exists(path_of(file))) return std::string("is missing");
  if (size < known.bytes) return fmt::format("is truncated ({} of {} bytes)", size, known.bytes);
  const std::int64_t from = all ? 0 : std::max(std::int64_t{0}, known.bytes - k_tail_bytes);
  ORCH_ASSIGN(const std::string text,
              files_.read_block(path_of(file), static_cast<std::uint64_t>(from),
                                static_cast<std::size_t>(known.bytes - from)));
  // Compares the copy only if necessary, because its pieces may be large.
  if (!all) return ends_with_sum(text, known.sum) ? std::string() : damage(file, known, true);
  ORCH_ASSIGN(const std::int64_t copied, copies_.size(file));
  if (copied == known.bytes) {
    ORCH_ASSIGN(const std::string copy, copies_.read(file));
    if (copy == text) return std::string();
    const auto same = std::mismatch(text.begin(), text.end(), copy.begin(), copy.end()).first;
    return fmt::format("is damaged at byte {}", same - text.begin());
  }
  std::string why;
  const int line = first_damaged_line(text, why);
  return line > 0 ? fmt::format("is damaged in line {}: {}", line, why) : std::string();
}

Result<std::string> RecordLog::restore(const std::string& file, const Known& known,
                                       const std::string& damage) {
  ORCH_ASSIGN(const std::string copy, copies_.read(file));
  if (static_cast<std::int64_t>(copy.size()) != known.bytes)
    return fmt::format(
        "records/{} {}; the database still holds its content, but `orchestrate verify --rebuild` "
        "would lose it; restore it from a backup",
        file, damage);
  ORCH_TRY(files_.write(path_of(file), copy));
  return fmt::format("records/{} {}; it is restored from the database", file, damage);
}

Status RecordLog::check(bool all, std::vector<std::string>& repaired) {
  for (const auto& [file, known] : known_) {
    ORCH_ASSIGN(const std::string found, damage(file, known, all));
    if (found.empty()) continue;
    ORCH_ASSIGN(std::string sentence, restore(file, known, found));
    repaired.push_back(std::move(sentence));
  }
  return {};
}

Result<std::vector<std::string>> RecordLog::damages() {
  ORCH_TRY(load());
  std::vector<std::string> all;
  for (const auto& [file, known] : known_) {
    ORCH_ASSIGN(const std::string found, damage(file, known, true));
    ORCH_ASSIGN(const std::int64_t copied, copies_.size(file));
    if (found.empty()) continue;
    all.push_back(fmt::format(
        "records/{} {}: {}", file, found,
        copied == known.bytes
            ? "the next run, or `orchestrate verify` with write access, restores it"
            : "the database still holds its content, but a rebuild would lose it; restore it "
              "from a backup"));
  }
  return all;
}

void RecordLog::add(const std::string& file, std::string fact) {
  pending_[file].facts.push_back(std::move(fact));
}

Status RecordLog::write() {
  for (auto& [file, pending] : pending_) {
    ORCH_TRY(wait_synced());  // of the previous file
    ORCH_TRY(write(file, pending));
  }
  if (!pending_.empty()) system::kill_point("record-appended");
  return {};
}

Status RecordLog::write(const std::string& file, Pending& pending) {
  const Known& known = known_[file];
  pending.after = known;
  const std::string line = record_line(pending.facts, pending.after.sum);
  pending.after.bytes += static_cast<std::int64_t>(line.size());
  pending.appended = true;
  ORCH_TRY(append(file, line));
  begin_sync(known.bytes == 0);
  ORCH_TRY(statements_.run(
      "INSERT INTO record_file (path, bytes, sum) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes "
      "= excluded.bytes, sum = excluded.sum",
      file, pending.after.bytes, pending.after.sum));
  ORCH_TRY(copies_.add(file, known.bytes, line));
  return order_ == SyncOrder::before ? wait_synced() : Status();
}

Status RecordLog::append(const std::string& file, const std::string& line) {
  const Known& known = known_[file];
  ORCH_TRY(open_file(file));
  ORCH_ASSIGN(const std::uint64_t size, open_->size());
  // Another program has truncated the file meanwhile.
  if (static_cast<std::int64_t>(size) < known.bytes) {
    open_.reset();
    ORCH_ASSIGN(const std::string sentence, restore(file, known, "is truncated"));
    ORCH_TRY(open_file(file));
  }
  return open_->append(line);
}

Status RecordLog::sync(bool is_new) {
  ORCH_TRY(open_->sync());
  // A new file's name must also be durable.
  return is_new ? files_.sync(layout_.records().string()) : Status();
}

void RecordLog::begin_sync(bool is_new) {
  const auto policy = order_ == SyncOrder::together ? std::launch::async : std::launch::deferred;
  try {
    synced_ = std::async(policy, [this, is_new] { return sync(is_new); });
  } catch (const std::system_error&) {  // no thread could be created
    synced_ = std::async(std::launch::deferred, [this, is_new] { return sync(is_new); });
  }
}

Status RecordLog::wait_synced() { return synced_.valid() ? synced_.get() : Status(); }

Status RecordLog::open_file(const std::string& file) {
  if (open_ && open_name_ == file) return {};
  ORCH_ASSIGN(open_, files_.open(path_of(file)));
  open_name_ = file;
  return {};
}

void RecordLog::committed() {
  if (pending_.empty()) return;
  for (auto& [file, pending] : pending_) known_[file] = std::move(pending.after);
  pending_.clear();
  system::kill_point("record-committed");
}

Status RecordLog::rolled_back() {
  static_cast<void>(wait_synced().ok());
  Status all;
  for (const auto& [file, pending] : pending_)
    if (pending.appended)
      if (Status status = cut(file, known_[file].bytes); !status) all = std::move(status);
  abandon();
  return all;
}

void RecordLog::abandon() {
  static_cast<void>(wait_synced().ok());
  pending_.clear();
  open_.reset();
}

}  // namespace orch::store
