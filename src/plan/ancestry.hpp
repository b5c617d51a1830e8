// The stages that one stage of a manifest has been, so that the nearest to a new one is found fast among thousands.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace orch::plan {

class Ancestry {
 public:
  // ANCESTORS, newest last, must outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // As nearest() in explain.hpp.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  // Hashes of a list's names, and of its names with their values, sorted; a name that comes again counts as another one.
  struct Print {
    std::vector<std::uint64_t> names, pairs;
  };
  static Print print_of(const Components& components);

  std::span<const Ancestor> ancestors_;
  std::vector<Print> prints_;
};

}  // namespace orch::plan
