// Reads a server's own figures again until they cover all answered requests. It does not know where
// the figures come from.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "bench/wire/clock.hpp"

namespace orch::observe {

inline constexpr int k_page_timeout_ms = 2000;

// Servers count a request shortly after its answer has ended. Calls READ, which returns an optional
// page, until IS_SETTLED(previous, page) is true (PREVIOUS is an optional, empty at first), 200 ms
// have passed, or READ returns nothing. Returns the last page.
template <class Read, class IsSettled> auto read_settled(Read read, IsSettled is_settled) {
  constexpr std::int64_t k_longest_ns = 200'000'000;
  constexpr std::chrono::milliseconds k_step(5);
  const std::int64_t deadline_ns = wire::monotonic_ns() + k_longest_ns;
  decltype(read()) previous;
  while (true) {
    auto page = read();
    if (!page || is_settled(previous, *page) || wire::monotonic_ns() > deadline_ns) return page;
    previous = std::move(page);
    std::this_thread::sleep_for(k_step);
  }
}

}  // namespace orch::observe
