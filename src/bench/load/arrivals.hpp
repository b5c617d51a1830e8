// When the requests of an open loop are due. The schedule is drawn once from one seed before
// anything is sent, and is never adjusted afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/record/load_spec.hpp"

namespace orch::load {

// The due times of COUNT requests of an open LOAD (no trace), ascending, in nanoseconds from the
// start of the window. One SEED gives the same schedule on every machine; a shorter schedule is a
// prefix of a longer one.
std::vector<std::int64_t> draw_arrivals(const record::Load& load, std::uint64_t seed,
                                        std::size_t count);

}  // namespace orch::load
