// File work that may take long: other threads lay out, check, publish and remove files while the
// scheduler continues. The scheduler's thread runs the continuations.
#pragma once

#include "os/system/work/long_work.hpp"
#include "run/execute/executor.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace orch::schedule {

class FileWork {
 public:
  using Next = std::function<void()>;
  // Runs on another thread, so it must not touch the state of the run. The continuation that it
  // returns may.
  using Work = std::function<Next(system::LongWork&)>;

  // Both must outlive this. EXECUTOR is woken when work is done.
  FileWork(system::Workers& workers, execute::Executor& executor)
      : workers_(workers), executor_(executor) {}
  // Stops all work, waits for it to end and drops the continuations.
  ~FileWork();

  // Starts WORK for the attempt TOKEN, which must have no other work under way.
  void start(const std::string& token, Work work);
  // Runs the continuations of finished work.
  void settle();
  // Makes settle() call NEXT once no work is under way.
  void when_empty(Next next) { when_empty_.push_back(std::move(next)); }
  bool has_done();
  bool empty() const { return all_.empty(); }
  // Requests that the work for TOKEN end soon; an unknown token is not an error.
  void stop(const std::string& token);
  // The work for TOKEN; null if there is none.
  const system::LongWork* find(const std::string& token) const;

 private:
  struct One {
    explicit One(system::Workers& workers) : work(&workers) {}

    system::LongWork work;
    Next next;                                          // runs once the work is done
    std::unique_ptr<system::Workers::Running> running;  // last: its thread uses the others
  };

  system::Workers& workers_;
  execute::Executor& executor_;
  std::mutex mutex_;
  std::vector<std::string> done_;  // tokens; guarded by the mutex
  std::map<std::string, One> all_;
  std::vector<Next> when_empty_;
};

}  // namespace orch::schedule
