// The run records, from which the database can be rebuilt: one line per transaction, a JSON list of
// facts, written before the transaction commits. Knows no kind of fact.
#pragma once

#include "base/result.hpp"
#include "store/layout.hpp"
#include "tables/statements.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::store {

class RecordLog {
 public:
  RecordLog(system::Files& files, const Layout& layout) : files_(files), layout_(layout) {}

  // Compares the files with the lengths that the database has committed, and cuts off a line whose
  // transaction a crash prevented. NOTICES: files that are shorter. Fails when the files hold more
  // than one such line: the database is older or belongs to another store.
  Status open(tables::Statements& statements, std::vector<std::string>& notices);

  // Adds FACT, a JSON value, to the line of the current transaction in FILE ("RUN_UID.jsonl").
  void add(const std::string& file, std::string fact);
  // Before the commit: appends a line to each file and stores their lengths.
  Status write(tables::Statements& statements);
  void committed();
  void rolled_back();

  // Makes FILE durable.
  Status sync(const std::string& file) const;

 private:
  Status append(const std::string& file, const std::string& line);
  std::string path_of(const std::string& file) const;
  std::int64_t size_of(const std::string& file) const;  // 0 when absent

  system::Files& files_;
  const Layout& layout_;
  std::map<std::string, std::int64_t> lengths_;            // as committed
  std::map<std::string, std::vector<std::string>> facts_;  // of the current transaction
};

// Names of the record files of a store, sorted.
std::vector<std::string> record_files(system::Files& files, const Layout& layout);

// The record of resolutions and removed outputs, which belong to no run.
inline constexpr const char* k_store_record = "store.jsonl";

}  // namespace orch::store
