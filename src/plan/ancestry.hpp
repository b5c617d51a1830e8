// The stages that one stage of a manifest has been, so that the nearest to a new one is found fast among thousands.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace orch::plan {

class Ancestry {
 public:
  // ANCESTORS, all of the same stage of the manifest, newest last, must outlive this.
  explicit Ancestry(std::span<const Ancestor> ancestors);

  // The one that STAGE most likely was: the fewest changes, then made before never made, then the newest. Null when there is none.
  const Ancestor* nearest(const Stage& stage) const;

 private:
  using Word = std::uint64_t;
  using Place = std::uint32_t;  // of an ancestor in ranks_

  // Of every ancestor a number, all of which count up at once: the words hold bit 0 of 64 of them, then bit 1 of the same, ...
  struct Counters {
    std::size_t bits = 0;
    std::vector<Word> words;

    void add(std::size_t word, Word to);
  };

  // Which ancestors have a component, or one with a name: as bits, or by their places where they are few.
  struct Owners {
    std::vector<Place> places;
    std::vector<Word> bits;
  };

  static void count(Counters& counters, const Owners& owners);
  const Ancestor* highest(const Counters& counters) const;

  std::vector<const Ancestor*> ranks_;  // of two equally near, the first is it
  std::unordered_map<std::uint64_t, Owners> owners_;
  Counters lacking_;  // how many components fewer than the longest list
};

}  // namespace orch::plan
