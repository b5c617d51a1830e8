// Threads for work that would keep the calling thread from its duties. Knows nothing of the work.
#pragma once

#include <functional>
#include <memory>

namespace orch::system {

class Workers {
 public:
  // A job that was started. The destructor waits for its end.
  class Running {
   public:
    virtual ~Running() = default;
  };

  virtual ~Workers() = default;
  // Runs JOB, which must not throw, on another thread. Safe from any thread.
  virtual std::unique_ptr<Running> start(std::function<void()> job) = 0;
  // How many threads can compute at the same time, at least 1.
  virtual std::size_t cores() const = 0;
};

// A thread per job: jobs that wait for a disk hold up no others. No signal reaches these threads.
// Where no thread can be made, start() does the job itself.
class RealWorkers final : public Workers {
 public:
  std::unique_ptr<Running> start(std::function<void()> job) override;
  std::size_t cores() const override;
};

}  // namespace orch::system
