#include "sql/query_guard.hpp"

#include <sqlite3.h>

#include <cerrno>

namespace orch::sql {

namespace {

using Clock = std::chrono::steady_clock;

// Instructions of SQLite's machine between two looks at the clock: about a millisecond.
constexpr int k_instructions = 20'000;
// A day longer than any query; an infinite limit would overflow.
constexpr double k_most_seconds = 1e8;

Clock::time_point end_of(double seconds) {
  const std::chrono::duration<double> time(std::min(seconds, k_most_seconds));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

}  // namespace

QueryGuard::QueryGuard(Database& database, const QueryLimits& limits)
    : database_(database), limits_(limits), end_(end_of(limits.seconds)) {
  if (limits_.seconds > 0)
    sqlite3_progress_handler(database_.handle(), k_instructions, has_ended, this);
  heap_before_ = sqlite3_hard_heap_limit64(static_cast<std::int64_t>(limits_.bytes));
}

QueryGuard::~QueryGuard() {
  sqlite3_hard_heap_limit64(heap_before_);
  sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
}

int QueryGuard::has_ended(void* guard) {
  auto& self = *static_cast<QueryGuard*>(guard);
  self.late_ = Clock::now() >= self.end_;
  return self.late_ ? 1 : 0;
}

bool QueryGuard::keep(std::uint64_t bytes) {
  kept_ += bytes;
  return limits_.bytes == 0 ||
         kept_ + static_cast<std::uint64_t>(sqlite3_memory_used()) <= limits_.bytes;
}

bool QueryGuard::is_out_of_time(const Error& error) const {
  return late_ && error.kind == ErrorKind::interrupted;
}

bool QueryGuard::is_out_of_memory(const Error& error) { return error.number == ENOMEM; }

}  // namespace orch::sql
