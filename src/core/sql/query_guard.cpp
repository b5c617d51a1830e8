#include "core/sql/query_guard.hpp"

#include "core/base/text.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>
#include <map>

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

// Of the bound that ended the last statement of this thread, or that is in force.
thread_local double g_late_s = 0;
thread_local std::uint64_t g_most_bytes = 0;
// Those in force, by their connections.
thread_local std::map<sqlite3*, StatementBound*> g_bounds;

}  // namespace

QueryGuard::QueryGuard(Database& database, const QueryLimits& limits)
    : database_(database), limits_(limits), end_(end_of(limits.seconds)) {
  if (limits_.seconds > 0)
    sqlite3_progress_handler(database_.handle(), k_instructions, has_ended, this);
  if (limits_.bytes > 0)
    heap_before_ = sqlite3_hard_heap_limit64(static_cast<std::int64_t>(limits_.bytes));
}

QueryGuard::~QueryGuard() {
  if (limits_.bytes > 0) sqlite3_hard_heap_limit64(heap_before_);
  if (limits_.seconds <= 0) return;
  sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
  if (const auto bound = g_bounds.find(database_.handle()); bound != g_bounds.end())
    bound->second->watch();
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

StatementBound::StatementBound(Database& database, const QueryLimits& limits)
    : database_(database), limits_(limits), end_(end_of(limits.seconds)) {
  watch();
  g_bounds[database_.handle()] = this;
  heap_before_ = sqlite3_hard_heap_limit64(static_cast<std::int64_t>(limits_.bytes));
  g_most_bytes = limits_.bytes;
}

void StatementBound::watch() {
  if (limits_.seconds <= 0) return;
  sqlite3_trace_v2(database_.handle(), SQLITE_TRACE_STMT, has_begun, this);
  sqlite3_progress_handler(database_.handle(), k_instructions, has_ended, this);
}

StatementBound::~StatementBound() {
  g_bounds.erase(database_.handle());
  g_most_bytes = 0;
  sqlite3_hard_heap_limit64(heap_before_);
  sqlite3_trace_v2(database_.handle(), 0, nullptr, nullptr);
  sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
}

int StatementBound::has_begun(unsigned, void* bound, void*, void*) {
  auto& self = *static_cast<StatementBound*>(bound);
  self.end_ = end_of(self.limits_.seconds);
  return 0;
}

int StatementBound::has_ended(void* bound) {
  const auto& self = *static_cast<StatementBound*>(bound);
  if (Clock::now() < self.end_) return 0;
  g_late_s = self.limits_.seconds;
  return 1;
}

QueryLimits usual_limits() {
  constexpr double k_usual_s = 60;
  const char* asked = std::getenv("ORCHESTRATE_SQL_TIMEOUT");
  const auto seconds = asked == nullptr ? std::nullopt : to_real(asked);
  return {.seconds = seconds && *seconds >= 0 ? *seconds : k_usual_s,
          .bytes = std::uint64_t{512} << 20};
}

std::string why_bounded(int code) {
  if ((code & 0xff) == SQLITE_INTERRUPT && g_late_s > 0)
    return fmt::format(
        "the SQL took longer than {} s; narrow it, or raise the limit with "
        "ORCHESTRATE_SQL_TIMEOUT=SECONDS (0: none)",
        std::exchange(g_late_s, 0));
  if ((code & 0xff) == SQLITE_NOMEM && g_most_bytes > 0)
    return fmt::format("the SQL needs more than {} of memory; narrow it",
                       human_bytes(g_most_bytes));
  return "";
}

}  // namespace orch::sql
