// How far the hashing of large files is, in one line of a terminal. Elsewhere prints nothing.
#pragma once

#include "app/cli/progress/progress.hpp"
#include "os/system/work/sha256_each.hpp"

#include <cstdint>
#include <string>

namespace orch::cli {

class HashingLine {
 public:
  // WHAT is hashed: "hashing inputs".
  HashingLine(std::string what, Screen screen) : what_(std::move(what)), screen_(screen) {}
  HashingLine(const HashingLine&) = delete;
  HashingLine& operator=(const HashingLine&) = delete;
  ~HashingLine() { erase(); }

  void show(std::uint64_t done_bytes, std::uint64_t expected_bytes);
  void erase();
  // Hashing by WORKERS, shown here. This must outlive it.
  system::WatchedHashing shown(system::Workers& workers);

 private:
  const std::string what_;
  const Screen screen_;
  bool drawn_ = false;
};

}  // namespace orch::cli
