// A host on which stages take their expected time but do nothing: clock, processes, readiness,
// ports, GPUs and folders for the scheduler. The clock jumps from one event to the next.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/gpus.hpp"
#include "os/system/ports.hpp"
#include "os/system/work/long_work.hpp"
#include "plan/resources/ledger.hpp"
#include "run/attempt/attempt_folders.hpp"
#include "run/execute/executor.hpp"
#include "run/schedule/scheduler.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::simulate {

class SimulatedClock final : public system::Clock {
 public:
  double time_s = 0;
  double now_s() override { return time_s; }
  double wall_s() override { return time_s; }
  void sleep_s(double s) override { time_s += s; }
};

// Does work immediately, on the calling thread.
class AtOnce final : public system::Workers {
 public:
  std::unique_ptr<Running> start(std::function<void()> job) override {
    job();
    return std::make_unique<Running>();
  }
  std::size_t cores() const override { return 1; }
};

// Servers are ready once their start time has passed. next_s() tells the executor when the next
// server will be ready; infinity if none is starting.
class SimulatedReadiness final : public attempt::Readiness {
 public:
  explicit SimulatedReadiness(SimulatedClock& clock) : clock_(clock) {}
  // The server of TOKEN takes START_S to start.
  void start_takes(const std::string& token, double start_s) { takes_s_[token] = start_s; }
  double next_s() const;
  void watch(const std::string& token, const attempt::Probe& probe) override;
  attempt::HealthReport report(const std::string& token) override;
  void forget(const std::string& token) override;

 private:
  SimulatedClock& clock_;
  std::map<std::string, double> takes_s_, ready_s_;
};

// Launches end after the time given by takes(); a process of several stages takes as long as all of
// them.
class SimulatedExecutor final : public execute::Executor {
 public:
  SimulatedExecutor(SimulatedClock& clock, SimulatedReadiness& readiness)
      : clock_(clock), readiness_(readiness) {}
  // The launch of TOKEN ends after SECONDS; a SERVER is ready after SECONDS, and ends when
  // terminated.
  void takes(const std::string& token, double seconds, bool server);
  // Whether only servers are running, and have long been idle.
  bool is_stalled() const { return idle_polls_ > k_most_idle_polls; }

  Result<execute::Handle> start(const execute::Launch& launch) override;
  std::vector<execute::Ended> poll(double wait_s) override;
  void wake() override {}
  void terminate(const std::string& token) override;
  void kill(const std::string& token) override { terminate(token); }
  void hold(const execute::Launch&, const std::optional<execute::Handle>&) override {}
  execute::Recovered recover(const execute::Launch&,
                             const std::optional<execute::Handle>&) override {
    return {};
  }

 private:
  static constexpr std::size_t k_most_idle_polls = 1000;
  struct Expected {
    double seconds = 0;
    bool server = false;
  };
  SimulatedClock& clock_;
  SimulatedReadiness& readiness_;
  std::map<std::string, Expected> expected_;
  std::map<std::string, double> since_s_;          // of running launches
  std::set<std::pair<double, std::string>> ends_;  // (when, token)
  std::size_t idle_polls_ = 0;                     // consecutive polls without an upcoming event
};

class SimulatedPorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override;
  Result<system::PortLease> take(int port) override {
    return system::PortLease(port, system::Descriptor());
  }
  Result<system::PortLease> retake(int port) override { return take(port); }
};

// GPUs whose memory is always free.
class SimulatedGpus final : public system::GpuMemory {
 public:
  explicit SimulatedGpus(const resources::Inventory& inventory);
  std::vector<system::GpuUse> read() override { return gpus_; }

 private:
  std::vector<system::GpuUse> gpus_;
};

// Attempt folders that are never created.
class NoFolders final : public attempt::AttemptFolders {
 public:
  // Informs EXECUTOR how long each attempt takes: SECONDS_OF returns the duration of its stage.
  NoFolders(SimulatedExecutor& executor, std::function<double(const plan::Stage&)> seconds_of)
      : executor_(executor), seconds_of_(std::move(seconds_of)) {}
  std::vector<attempt::Prepared> describe(const std::vector<attempt::Attempt>& attempts) override;
  Status lay_out(const std::vector<const attempt::Prepared*>&, system::LongWork&) override {
    return {};
  }
  Result<std::vector<attempt::PublishedFile>> check(const attempt::Prepared&,
                                                    system::LongWork&) override {
    return std::vector<attempt::PublishedFile>();
  }
  Status publish(const attempt::Prepared&, const std::vector<attempt::PublishedFile>&,
                 system::LongWork&) override {
    return {};
  }
  void discard(const attempt::Prepared&) override {}
  void discard_failed(const attempt::Prepared&, bool) override {}
  void remove_output(const plan::Stage&) override {}
  bool is_taken(const attempt::Prepared&) const override { return false; }
  std::string damage(const plan::Stage&) override { return ""; }
  bool can_see(const std::string&) override { return true; }
  Result<system::FreeSpace> free_space() override;
  Result<std::string> log_tail(const std::string&, std::size_t) override { return std::string(); }
  void tell_warnings() override {}
  const attempt::Layout& layout() const override { return layout_; }

 private:
  SimulatedExecutor& executor_;
  std::function<double(const plan::Stage&)> seconds_of_;
  attempt::Layout layout_;
};

// Interrupts a run in which nothing would happen any longer.
class EndOfStall final : public schedule::Interrupts {
 public:
  explicit EndOfStall(const SimulatedExecutor& executor) : executor_(executor) {}
  int count() override { return executor_.is_stalled() ? 2 : 0; }

 private:
  const SimulatedExecutor& executor_;
};

}  // namespace orch::simulate
