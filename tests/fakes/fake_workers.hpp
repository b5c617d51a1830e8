// Workers without threads: a job is done when it is started, or when the test says so.
#pragma once

#include "os/system/work/long_work.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace orch::fakes {

class FakeWorkers final : public system::Workers {
 public:
  // Whether a job that is started now waits for do_all() or do_newest().
  std::function<bool()> holds = [] { return false; };
  std::size_t started = 0;
  std::size_t width = 1;  // what cores() returns

  std::unique_ptr<Running> start(std::function<void()> job) override {
    ++started;
    auto one = std::make_shared<std::function<void()>>(std::move(job));
    if (holds()) waiting_.push_back(one);
    else (*one)();
    return std::make_unique<Job>(*this, one);
  }
  std::size_t cores() const override { return width; }

  std::size_t waiting() const { return waiting_.size(); }
  void do_all() {
    while (!waiting_.empty()) take(waiting_.begin());
  }
  void do_newest() {
    if (!waiting_.empty()) take(std::prev(waiting_.end()));
  }

 private:
  using One = std::shared_ptr<std::function<void()>>;

  // A job that is still waiting when it is no longer wanted is never done.
  struct Job final : Running {
    Job(FakeWorkers& of, One job) : workers(of), one(std::move(job)) {}
    ~Job() override { std::erase(workers.waiting_, one); }
    FakeWorkers& workers;
    One one;
  };

  void take(std::vector<One>::iterator at) {
    const One one = *at;
    waiting_.erase(at);
    (*one)();
  }

  std::vector<One> waiting_;
};

}  // namespace orch::fakes
