// Questions to programs and to the driver, each with a time limit: one that hangs is a finding.
#pragma once

#include "app/session/world.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace orch::doctor {

// What a program answered.
struct Answer {
  bool ok = false;          // it ended with status 0
  bool hangs = false;       // it did not end in time, and was ended where that is possible
  std::string output = {};  // stdout
  std::string errors = {};  // stderr
  std::string reason = {};  // why it is not ok, in a line
};

class Asking {
 public:
  // WORLD must outlive this.
  Asking(session::World& world, double patience_s) : world_(world), patience_s_(patience_s) {}

  // The program NAME on PATH, or a path; empty when there is none that can be executed.
  std::optional<std::string> find(const std::string& name) const;
  // Runs ARGV with the environment of this process, or with ENV. Returns soon after
  // PATIENCE_S at the latest, also when the program waits in the kernel and cannot be killed.
  Answer ask(const std::vector<std::string>& argv) const;
  Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env,
             double patience_s) const;

  session::World& world() const { return world_; }
  double patience_s() const { return patience_s_; }

 private:
  session::World& world_;
  double patience_s_;
};

// The command that installs PROGRAM, or the page that says how; "" when we know none.
std::string how_to_install(const std::string& program);

// What CALL returns, or nothing when that takes longer than PATIENCE_S: a call into a driver or to
// a file server may never return, and its thread is then left behind.
template <class T> std::optional<T> within(double patience_s, std::function<T()> call) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable done;
    std::optional<T> value;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, call = std::move(call)] {
    T value = call();
    const std::lock_guard lock(shared->mutex);
    shared->value = std::move(value);
    shared->done.notify_one();
  }).detach();
  std::unique_lock lock(shared->mutex);
  shared->done.wait_for(lock, std::chrono::duration<double>(patience_s),
                        [&] { return shared->value.has_value(); });
  return shared->value;
}

}  // namespace orch::doctor
