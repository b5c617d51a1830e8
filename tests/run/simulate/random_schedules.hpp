// Simulated schedules of random plans, and what an independent checker says of them.
#pragma once

#include <cstdint>
#include <string>

namespace orch::simulate {

struct Judged {
  std::string fault;            // the first; "" for none
  std::uint64_t seed = 0;       // of the last schedule: the one with the fault
  std::size_t spans = 0;        // in all schedules
  std::size_t most_passed = 0;  // Checker::most_passed(), the most of any schedule
};

// Draws and judges schedules of the seeds 1 to COUNT, up to the first fault.
Judged judge_random_schedules(std::uint64_t count);

}  // namespace orch::simulate
