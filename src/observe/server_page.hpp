// How long one waits for a page of a server's own figures, and for the figures on it to be those of
// all that was answered.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "wire/clock.hpp"

namespace orch::observe {

inline constexpr int k_page_timeout_ms = 2000;

// Servers count a request a moment after its answer has ended. Calls READ, which gives an optional
// page, until IS_SETTLED(previous, page) is true of the page before (an optional, empty at first)
// and the one just read, a fifth of a second has passed, or there is none.
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
