// A store of many measurements, made through the code that runs use, without a server or a file per
// measurement. It has the experiments "quickstart", "other-1", "other-2", ..., each of 2,000
// points.
#pragma once

#include "results/store/store.hpp"

#include <cstdint>
#include <memory>

namespace orch::keep {

class BigStore {
 public:
  // In FOLDER, which is made.
  explicit BigStore(const std::string& folder);
  ~BigStore();

  // Adds about MEASUREMENTS with ten requests each, in experiments of 20,000.
  Status fill(std::int64_t measurements);
  // Adds one measurement of a point of "written", and commits it.
  Status write_one();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace orch::keep
