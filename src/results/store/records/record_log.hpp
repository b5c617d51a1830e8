// The run records, from which the database can be rebuilt: one line per transaction, written before
// the commit and synced concurrently with it. An acknowledged transaction is durable in the record
// and in the database. A line without its commit is cut off when the store is next opened; a lost
// or damaged line is restored from the copy in the database.
#pragma once

#include "core/base/result.hpp"
#include "results/store/layout.hpp"
#include "results/tables/statements.hpp"

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::store {

// The lines of a run record: a JSON list of the facts of one transaction, ending with a checksum
// that covers this line and, through the previous checksum, all earlier ones. Does not read files.
// For src/results/store and src/results/keep.

// The line, with its newline, of FACTS, each of which is a JSON value. SUM is the checksum of the
// previous line, "" for the first line; it is set to the checksum of this line.
std::string record_line(const std::vector<std::string>& facts, std::string& sum);

// Reads the lines of one record file in order.
class RecordLines {
 public:
  // BEFORE is the checksum of the line before the first line to be read.
  explicit RecordLines(std::string before = "") : sum_(std::move(before)) {}

  // The JSON list of the facts of LINE, which has no newline. Errors: LINE is not JSON, or its
  // checksum does not match, so LINE is damaged, or a line before it is missing. Lines of older
  // versions have no checksum.
  Result<std::string> facts(std::string_view line);
  // The checksum of the last line read; "" if it has none.
  const std::string& sum() const { return sum_; }

 private:
  std::string sum_;
};

// The number, from 1, of the first line of TEXT that RecordLines cannot read or that has no
// newline; 0 if there is none. WHY is set to what is wrong with the line.
int first_damaged_line(std::string_view text, std::string& why);

// Whether SUM is the last checksum of a record file that ends with TEXT; for "", as in files of
// older versions, whether TEXT ends with a newline. The first line of TEXT may lack its beginning;
// the checksums of later lines must match.
bool ends_with_sum(std::string_view text, const std::string& sum);

// The copies of the run records inside the database, from which a damaged or truncated record file
// is restored. Does not access files. Private to src/results/store.

// STATEMENTS must outlive this. Changes need a transaction of the caller.
class RecordCopies {
 public:
  explicit RecordCopies(tables::Statements& statements) : statements_(statements) {}

  // Adds TEXT, which begins at byte FROM of FILE, where the copy must end so far.
  Status add(const std::string& file, std::int64_t from, std::string_view text);
  // How many bytes of FILE are copied, from its beginning.
  Result<std::int64_t> size(const std::string& file);
  // The bytes of FILE from FROM to the end of its copy.
  Result<std::string> read(const std::string& file, std::int64_t from = 0);
  // Packs the pieces of each file together, because single lines compress badly.
  Status fold();

 private:
  Status fold(const std::string& file);

  tables::Statements& statements_;
};

class RecordLog {
 public:
  // All must outlive this object.
  RecordLog(const Host& host, const Layout& layout, tables::Statements& statements)
      : files_(host.files),
        order_(host.sync_order),
        layout_(layout),
        statements_(statements),
        copies_(statements) {}

  // Compares the files with what the database has committed: cuts off a line whose commit a crash
  // prevented, and restores a file that lost its end. Adds to REPAIRED a sentence for each file
  // that was restored, or could not be restored. Fails if the files have more than one surplus
  // line: then the database is older or belongs to another store.
  Status open(std::vector<std::string>& repaired);
  // Compares the whole files with their copies and checksums, and restores those that differ; only
  // reads the database. Adds to REPAIRED like open().
  Status repair(std::vector<std::string>& repaired);
  // Like repair(), but changes nothing. Returns a sentence for each damaged file.
  Result<std::vector<std::string>> damages();

  // Adds FACT, a JSON value, to the line of the current transaction in FILE ("RUN_UID.jsonl").
  void add(const std::string& file, std::string fact);
  // Call before the commit. Appends a line to each file, begins to make the lines durable, and
  // stores the copies.
  Status write();
  // Waits until the lines are durable. If this fails after a commit, the next open() restores the
  // lines.
  Status wait_synced();
  // Call after the commit and wait_synced().
  void committed();
  // Call after an error before the commit, or after a commit that certainly failed: cuts off the
  // lines. Error: a line without a commit could not be cut off, so nothing may be appended after
  // it.
  Status rolled_back();
  // Call if the outcome of the commit is unknown: leaves the comparison to the next open().
  void abandon();

  // Makes the copies in the database compact. Call inside a transaction.
  Status fold() { return copies_.fold(); }

 private:
  struct Known {
    std::int64_t bytes = 0;
    std::string sum;  // the checksum of the last line
  };
  struct Pending {
    std::vector<std::string> facts;
    Known after;
    bool appended = false;
  };

  Status load();
  Status write(const std::string& file, Pending& pending);
  Status append(const std::string& file, const std::string& line);
  Status sync(bool is_new);
  void begin_sync(bool is_new);
  Status open_file(const std::string& file);
  Status cut(const std::string& file, std::int64_t bytes);
  // Copies the lines of FILE that older versions wrote without copies.
  Status copy_older(const std::string& file, const Known& known);
  Status drop_uncommitted(const std::string& file);
  // What is wrong with the committed part of FILE; "" if nothing is. With ALL, reads the whole
  // file.
  Result<std::string> damage(const std::string& file, const Known& known, bool all);
  Result<std::string> restore(const std::string& file, const Known& known,
                              const std::string& damage);
  Status check(bool all, std::vector<std::string>& repaired);
  std::string path_of(const std::string& file) const;
  std::int64_t size_of(const std::string& file) const;  // 0 if absent

  system::Files& files_;
  SyncOrder order_;
  const Layout& layout_;
  tables::Statements& statements_;
  RecordCopies copies_;
  std::map<std::string, Known> known_;      // as committed
  std::map<std::string, Pending> pending_;  // of the current transaction
  std::string open_name_;                   // the name of the open file
  std::unique_ptr<system::OpenFile> open_;
  std::future<Status> synced_;  // the syncing of the current transaction's lines
};

// The names of the record files of a store, sorted.
std::vector<std::string> record_files(system::Files& files, const Layout& layout);

// The record of facts that do not belong to a run, such as resolutions and removed outputs.
inline constexpr const char* k_store_record = "store.jsonl";

}  // namespace orch::store
