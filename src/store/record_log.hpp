// The files that the database can be made of again: one line for each transaction, a JSON list of
// facts, written before the transaction is committed. Knows no fact.
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

  // Compares the files with what the database has of them, and cuts off a line that a crash left
  // without its commit. NOTICES: files that have lost something. Fails when the files hold more
  // than that: the database is not the one they belong to.
  Status open(tables::Statements& statements, std::vector<std::string>& notices);

  // FACT, a JSON value, belongs to FILE ("RUN_UID.jsonl") with the transaction that goes on.
  void add(const std::string& file, std::string fact);
  // Before the commit: appends a line to each file and takes note of their lengths.
  Status write(tables::Statements& statements);
  void committed();
  void undone();

  // Makes FILE durable.
  Status sync(const std::string& file) const;

 private:
  Status append(const std::string& file, const std::string& line);
  std::string path_of(const std::string& file) const;
  std::int64_t size_of(const std::string& file) const;  // 0 when absent

  system::Files& files_;
  const Layout& layout_;
  std::map<std::string, std::int64_t> lengths_;            // as committed
  std::map<std::string, std::vector<std::string>> facts_;  // of the transaction that goes on
};

// Names of the record files of a store, sorted.
std::vector<std::string> record_files(system::Files& files, const Layout& layout);

// What belongs to no run: resolutions, outputs that are gone.
inline constexpr const char* k_store_record = "store.jsonl";

}  // namespace orch::store
