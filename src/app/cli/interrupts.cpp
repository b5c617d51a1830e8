#include "app/cli/interrupts.hpp"

#include "app/cli/say.hpp"

#include <csignal>

#include <atomic>
#include <cmath>

namespace orch::cli {

namespace {

std::atomic<int> g_signals = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void count_one(int) { g_signals.fetch_add(1, std::memory_order_relaxed); }

constexpr int k_ending[] = {SIGINT, SIGTERM, SIGHUP};

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: the scheduler's wait ends at once
  for (const int signal : k_ending) ::sigaction(signal, &action, nullptr);
}

}  // namespace

SignalInterrupts::SignalInterrupts() { set_handler(&count_one); }
SignalInterrupts::~SignalInterrupts() { set_handler(SIG_DFL); }

int SignalInterrupts::count() {
  const int signals = g_signals.load(std::memory_order_relaxed);
  if (std::exchange(reported_, signals) == signals) return signals;
  say(stderr, "\n{}\n",
      signals == 1   ? "interrupted: running stages may finish; interrupt again to end them"
      : signals == 2 ? "interrupted: ending the running stages; interrupt again to kill them"
                     : "interrupted: killing the running stages");
  return signals;
}

bool wait_for_signal(double s) {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (const int signal : k_ending) sigaddset(&ending, signal);
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  const double whole = std::floor(s);
  const timespec time{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>((s - whole) * 1e9)};
  const bool came = ::sigtimedwait(&ending, nullptr, &time) > 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return came;
}

}  // namespace orch::cli
