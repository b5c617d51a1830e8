#include "bench/observe/periodic.hpp"

#include "bench/wire/clock.hpp"

namespace orch::observe {

Periodic::Periodic(double period_s, std::function<bool()> step)
    : period_s_(period_s), step_(std::move(step)) {
  if (period_s_ > 0) thread_ = std::thread([this] { run(); });
}

void Periodic::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Periodic::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(period_s_),
                         [this] { return stopped_; })) {
    lock.unlock();
    const bool again = step_();
    lock.lock();
    if (!again) break;
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

}  // namespace orch::observe
