#include "cli/interrupts.hpp"

#include "cli/say.hpp"

#include <csignal>

#include <atomic>

namespace orch::cli {

namespace {

std::atomic<int> g_asked = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void count_one(int) { g_asked.fetch_add(1, std::memory_order_relaxed); }

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: the scheduler's wait ends at once
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

}  // namespace

SignalInterrupts::SignalInterrupts() { set_handler(&count_one); }
SignalInterrupts::~SignalInterrupts() { set_handler(SIG_DFL); }

int SignalInterrupts::count() {
  const int asked = g_asked.load(std::memory_order_relaxed);
  if (std::exchange(told_, asked) == asked) return asked;
  say(stderr, "\n{}\n",
      asked == 1   ? "interrupted: what runs may end; interrupt again to end it"
      : asked == 2 ? "interrupted: what runs is being ended; interrupt again to kill it"
                   : "interrupted: what runs is killed");
  return asked;
}

}  // namespace orch::cli
