// Runs many independent jobs, some times as many at once as there are processors, because they
// mostly wait. Each gets the number of its lane, unique among the jobs that run at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace orch::crash {

template <class Do> void in_lanes(std::size_t count, Do&& work, std::size_t per_processor = 2) {
  const std::size_t lanes = std::clamp<std::size_t>(
      per_processor * std::thread::hardware_concurrency(), 2, 4 * per_processor);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    threads.emplace_back([&, lane] {
      for (std::size_t i; (i = next++) < count;) work(i, static_cast<int>(lane));
    });
}

}  // namespace orch::crash
