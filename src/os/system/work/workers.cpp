#include "os/system/work/workers.hpp"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>

namespace orch::system {

namespace {

class RunningThread final : public Workers::Running {
 public:
  explicit RunningThread(const std::function<void()>& job) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread inherits it
    try {
      thread_ = std::thread(job);
    } catch (const std::system_error&) {
      // There are too many threads: see below.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread_.joinable()) job();
  }
  ~RunningThread() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Workers::Running> RealWorkers::start(std::function<void()> job) {
  return std::make_unique<RunningThread>(job);
}

std::size_t RealWorkers::cores() const { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace orch::system
