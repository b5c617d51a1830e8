// The lines of a run record: a JSON list of the facts of one transaction, and last a checksum that
// covers this line and, through the checksum before it, all earlier ones. Reads no file. For
// src/results/store and src/results/keep.
#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::store {

// The line, with its newline, of FACTS, each a JSON value. SUM: the checksum of the line before, ""
// for the first one; becomes that of this line.
std::string record_line(const std::vector<std::string>& facts, std::string& sum);

// Reads the lines of one record file in their order.
class RecordLines {
 public:
  // BEFORE: the checksum of the line before the first one.
  explicit RecordLines(std::string before = "") : sum_(std::move(before)) {}

  // The JSON list of the facts of LINE, which has no newline. Errors: it is not JSON, or its
  // checksum differs, so that it or a line before it was damaged. Lines of older versions have no
  // checksum.
  Result<std::string> facts(std::string_view line);
  // The checksum of the last line; "" when it has none.
  const std::string& sum() const { return sum_; }

 private:
  std::string sum_;
};

// The number, from 1, of the first line of TEXT that cannot be read by RecordLines or has no
// newline; 0 when there is none. WHY: what is wrong with it.
int first_damaged_line(std::string_view text, std::string& why);

// Whether the record file that ends with TEXT has SUM as its last checksum, as far as TEXT tells:
// the first line of TEXT may lack its beginning, the lines after it follow each other.
bool ends_with_sum(std::string_view text, const std::string& sum);

}  // namespace orch::store
