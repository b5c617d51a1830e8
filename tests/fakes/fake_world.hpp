// All collaborators of the scheduler in memory, on a clock that only the fakes advance.
#pragma once

#include "fakes/memory_files.hpp"
#include "run/schedule/journal.hpp"
#include "run/schedule/scheduler.hpp"

#include <csignal>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orch::fakes {

class FakeClock final : public system::Clock {
 public:
  double time_s = 1000;
  double day_s = 1.7e9;  // the wall clock is ahead by this; settable
  double now_s() override { return time_s; }
  double wall_s() override { return time_s + day_s; }
  // The test moves the time, or says so here.
  std::function<void(double)> sleeps = [](double) { std::this_thread::yield(); };
  void sleep_s(double s) override { sleeps(s); }
};

// The behaviour of a fake process: it writes files at once, and ends after a time or on a signal.
struct Behaviour {
  double lasts_s = 1;  // infinity: a server
  int code = 0;
  int signal = 0;
  std::map<std::string, std::string> writes = {};  // absolute path -> text
  bool ignores_term = false;
  int log_error = 0;
  std::string full_disk = {};
};

// Far more than the run of any test needs.
inline constexpr double k_for_ever_s = 100000;
inline constexpr int k_for_ever_polls = 1000000;

class FakeExecutor final : public execute::Executor {
 public:
  FakeExecutor(FakeClock& clock, MemoryFiles& files) : clock_(clock), files_(files) {}

  std::function<Behaviour(const execute::Launch&)> behave = [](const execute::Launch&) {
    return Behaviour{};
  };
  std::function<bool(const std::string& name)> waits_for_a_place = [](const std::string&) {
    return false;
  };
  execute::Placement placed = {};
  std::vector<std::string> diary;  // "start a b c", "term a", "kill a"
  std::size_t most_at_once = 0;

  execute::Placement placement() const override { return placed; }
  // The diary has the names of programs without their folders.
  Result<execute::Handle> start(const execute::Launch& requested) override {
    execute::Launch launch = requested;
    launch.argv.front() = launch.argv.front().substr(launch.argv.front().rfind('/') + 1);
    diary.push_back("start " + name(launch));
    if (launch.argv.front() == "missing")
      return Error{ErrorKind::not_found, "cannot run 'missing': no such program", {}};
    const Behaviour behaviour = behave(launch);
    for (const auto& [path, text] : behaviour.writes) {
      (void)files_.make_folder(path.substr(0, path.rfind('/'))).ok();
      files_.files[path] = text;
    }
    if (!launch.tmp.empty()) files_.folders.insert(launch.tmp);
    files_.files.try_emplace(launch.log);
    running_[launch.token] = {
        name(launch), behaviour,        clock_.time_s + behaviour.lasts_s, 0, clock_.time_s,
        launch.tmp,   launch.shm_prefix};
    most_at_once = std::max(most_at_once, running_.size());
    return execute::Handle{.tree = {.token = launch.token,
                                    .leader = {++pid_, 1},
                                    .boot_id = "boot",
                                    .containment = {},
                                    .cgroup = {}},
                           .guardian = "guardian",
                           .guardian_process = {}};
  }

  std::function<void(double time_s)> on_time;  // called at every poll

  std::vector<execute::Ended> poll(double wait_s) override {
    if (on_time) on_time(clock_.time_s);
    if (clock_.time_s > k_for_ever_s || ++polls_ > k_for_ever_polls)
      throw std::runtime_error("the run does not end");
    double next = clock_.time_s + wait_s;
    for (const auto& [token, process] : running_) next = std::min(next, process.ends_s);
    clock_.time_s = std::max(clock_.time_s, next);
    std::vector<execute::Ended> ended;
    for (auto it = running_.begin(); it != running_.end();) {
      if (it->second.ends_s > clock_.time_s) {
        ++it;
        continue;
      }
      ended.push_back(end_of(it->first, it->second));
      records_[it->first] = ended.back();
      it = running_.erase(it);
    }
    return ended;
  }

  void wake() override {}
  bool waits(const std::string& token) override {
    const auto found = running_.find(token);
    return found != running_.end() && waits_for_a_place(found->second.name);
  }
  void terminate(const std::string& token) override { end(token, "term", SIGTERM); }
  void kill(const std::string& token) override { end(token, "kill", SIGKILL); }
  void hold(const execute::Launch&, const std::optional<execute::Handle>&) override {
  }  // there is no grace period here
  execute::Recovered recover(const execute::Launch& launch,
                             const std::optional<execute::Handle>& on_record) override {
    using Fate = execute::Recovered::Fate;
    if (const auto record = records_.find(launch.token); record != records_.end())
      return {.fate = Fate::ended, .handle = {}, .ended = record->second, .for_s = 0, .why = {}};
    const auto process = running_.find(launch.token);
    if (process == running_.end()) remove_traces(launch.tmp, launch.shm_prefix);
    if (process == running_.end())
      return {.fate = Fate::lost,
              .handle = {},
              .ended = {},
              .for_s = 0,
              .why = on_record ? "its guardian is gone" : "it was never started"};
    if (process->second.ends_s > clock_.time_s) {
      diary.push_back("take over " + process->second.name);
      return {.fate = Fate::running,
              .handle = on_record.value_or(execute::Handle{}),
              .ended = {},
              .for_s = clock_.time_s - process->second.started_s,
              .why = {}};
    }
    const execute::Recovered ended{.fate = Fate::ended,
                                   .handle = {},
                                   .ended = end_of(launch.token, process->second),
                                   .for_s = 0,
                                   .why = {}};
    running_.erase(process);
    return ended;
  }
  // The guardian and the process of TOKEN die unobserved.
  void lose(const std::string& token) { running_.erase(token); }
  // The process whose argv starts with WANTED dies of SIGNAL.
  void die(const std::string& wanted, int signal) { die_at(wanted, clock_.time_s, signal); }
  void die_at(const std::string& wanted, double time_s, int signal) {
    for (auto& [token, process] : running_) {
      if (!process.name.starts_with(wanted)) continue;
      process.killed_by = signal;
      process.ends_s = time_s;
    }
  }

 private:
  struct Process {
    std::string name;
    Behaviour behaviour;
    double ends_s = 0;
    int killed_by = 0;
    double started_s = 0;
    std::string tmp, shm_prefix;
  };

  void remove_traces(const std::string& tmp, const std::string& shm_prefix) {
    files_.folders.erase(tmp);
    std::erase_if(files_.files, [&](const auto& file) {
      return (!tmp.empty() && file.first.starts_with(tmp + "/")) ||
             (!shm_prefix.empty() && file.first.starts_with("/dev/shm/" + shm_prefix));
    });
  }

  execute::Ended end_of(const std::string& token, const Process& process) {
    remove_traces(process.tmp, process.shm_prefix);
    const int signal = process.killed_by ? process.killed_by : process.behaviour.signal;
    return {.token = token,
            .code = signal ? -1 : process.behaviour.code,
            .signal = signal,
            .wall_s = process.ends_s - process.started_s,
            .cpu_s = 0.5,
            .max_rss_bytes = 1 << 20,
            .log_error = process.behaviour.log_error,
            .full_disk = process.behaviour.full_disk};
  }

  static std::string name(const execute::Launch& launch) {
    return fmt::format("{}", fmt::join(launch.argv, " "));
  }

  void end(const std::string& token, std::string_view verb, int signal) {
    const auto process = running_.find(token);
    if (process == running_.end()) return;
    diary.push_back(fmt::format("{} {}", verb, process->second.name));
    if (signal == SIGTERM && process->second.behaviour.ignores_term) return;
    process->second.killed_by = signal;
    process->second.ends_s = clock_.time_s;
  }

  FakeClock& clock_;
  MemoryFiles& files_;
  std::map<std::string, Process> running_;
  std::map<std::string, execute::Ended> records_;  // of ends that were reported
  int pid_ = 100, polls_ = 0;
};

class FakeReadiness final : public attempt::Readiness {
 public:
  explicit FakeReadiness(FakeClock& clock) : clock_(clock) {}
  double after_s = 2;
  attempt::HealthReport then = {attempt::Health::ready, ""};

  void watch(const std::string& token, const attempt::Probe& probe) override {
    since_[token] = clock_.time_s;
    last = probe;
  }
  attempt::HealthReport report(const std::string& token) override {
    return clock_.time_s - since_.at(token) >= after_s ? then : attempt::HealthReport{};
  }
  void forget(const std::string& token) override { since_.erase(token); }
  attempt::Probe last;

 private:
  FakeClock& clock_;
  std::map<std::string, double> since_;
};

class FakePorts final : public system::Ports {
 public:
  int refusals = 0;  // how often lease() finds all ports taken
  Result<std::vector<system::PortLease>> lease(std::size_t count) override {
    if (refusals > 0)
      return --refusals, Error{ErrorKind::conflict, "cannot find 1 free port between 1 and 2", {}};
    std::vector<system::PortLease> leases;
    for (std::size_t i = 0; i < count; ++i) leases.emplace_back(next++, system::Descriptor());
    return leases;
  }
  std::map<int, int> taken;  // port -> how often take() finds it in use
  Result<system::PortLease> take(int port) override {
    if (taken[port]-- > 0)
      return Error{
          ErrorKind::unavailable, fmt::format("port {} is in use by triton (pid 7)", port), {}};
    return system::PortLease(port, system::Descriptor());
  }
  Result<system::PortLease> retake(int port) override {
    return system::PortLease(port, system::Descriptor());
  }
  int next = 20000;
};

class FakeGpus final : public system::GpuMemory {
 public:
  std::vector<system::GpuUse> gpus;
  std::vector<system::GpuUse> read() override { return gpus; }
};

class FakeInterrupts final : public schedule::Interrupts {
 public:
  int requested = 0;
  int count() override { return requested; }
};

// Keeps every event, fails a commit on request, and judges measurements by a rule of the test.
class MemoryJournal final : public schedule::Journal {
 public:
  std::vector<schedule::Event> events;
  std::size_t durable = 0;  // events that a commit has covered
  std::size_t commits = 0;
  std::size_t fail_at_commit = 0;  // 0: never
  ErrorKind fails_as = ErrorKind::io;
  std::function<std::string(const schedule::AttemptKey&)> judge = [](const schedule::AttemptKey&) {
    return std::string();
  };

  Result<int> next_attempt(const plan::StageId& stage) override { return ++attempts_[stage]; }
  Result<int> failures_so_far(const plan::StageId& stage) override {
    return failures_before[stage.substr(0, stage.find('-'))] +
           static_cast<int>(
               std::count_if(events.begin(), events.end(), [&](const schedule::Event& event) {
                 const auto* ended = std::get_if<schedule::AttemptEnded>(&event);
                 return ended && ended->attempt.stage == stage && !ended->ok &&
                        ended->kind == attempt::FailureKind::harness &&
                        ended->failure_class != "lost" && ended->failure_class != "interrupted";
               }));
  }
  Result<bool> is_current(const schedule::AttemptKey& key, const std::string&) override {
    return current(key);
  }
  // In addition to the recorded failures, by the name of the stage in the manifest.
  std::map<std::string, int> failures_before;
  std::function<bool(const schedule::AttemptKey&)> current = [](const schedule::AttemptKey&) {
    return true;
  };
  void append(const schedule::Event& event) override { events.push_back(event); }
  // Sees the events that are not durable yet.
  std::function<void(const std::vector<schedule::Event>& pending)> before_commit =
      [](const std::vector<schedule::Event>&) {};
  Status commit() override {
    before_commit({events.begin() + static_cast<std::ptrdiff_t>(durable), events.end()});
    if (++commits == fail_at_commit) return Error{fails_as, "disk I/O error", {}};
    durable = events.size();
    return {};
  }
  std::string invalid_reasons(const schedule::AttemptKey& key) override { return judge(key); }
  // Every committed output, and none that was removed, is this experiment's.
  Result<std::vector<std::string>> makers_of(const plan::StageId& stage) override {
    std::vector<std::string> makers;
    for (std::size_t e = 0; e < durable; ++e) {
      const schedule::Event& event = events[e];
      if (const auto* published = std::get_if<schedule::ArtifactPublished>(&event);
          published && published->attempt.stage == stage)
        makers.push_back(fmt::format("{}#{}", stage, published->attempt.number));
      if (const auto* removed = std::get_if<schedule::OutputRemoved>(&event);
          removed && removed->stage == stage)
        makers.clear();
    }
    return makers;
  }

  // The attempts without an end among the committed events, as a dead run leaves them.
  std::vector<schedule::Unfinished> unfinished() const {
    std::vector<schedule::Unfinished> open;
    auto of = [&](const schedule::AttemptKey& key) {
      return std::find_if(open.begin(), open.end(),
                          [&](const auto& one) { return one.attempt == key; });
    };
    for (std::size_t e = 0; e < durable; ++e) {
      const schedule::Event& event = events[e];
      if (const auto* intended = std::get_if<schedule::AttemptIntended>(&event)) {
        const bool measures = intended->attempt.stage.starts_with("bench"),
                   serves = intended->attempt.stage.starts_with("serve");
        schedule::Unfinished one;
        one.attempt = intended->attempt;
        one.kind = serves     ? runner::Kind::service
                   : measures ? runner::Kind::measure
                              : runner::Kind::task;
        one.token = intended->token;
        one.process = intended->process;
        one.ports = intended->ports;
        one.gpus = intended->gpus;
        one.log = intended->log;
        one.host = "here";
        open.push_back(one);
        for (auto& server : open)
          if (measures && server.kind == runner::Kind::service)
            ++server.attempts[intended->attempt.stage];
      }
      if (const auto* spawned = std::get_if<schedule::AttemptSpawned>(&event))
        of(spawned->attempt)->handle = spawned->handle;
      if (const auto* ready = std::get_if<schedule::ServiceReady>(&event))
        of(ready->attempt)->ready = true;
      if (const auto* measured = std::get_if<schedule::MeasurementProduced>(&event))
        if (const auto server = of(measured->session); server != open.end()) ++server->measured;
      if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event))
        open.erase(of(ended->attempt));
      if (const auto* lost = std::get_if<schedule::AttemptLost>(&event))
        std::erase_if(open, [&](const auto& one) { return one.token == lost->token; });
    }
    return open;
  }

  // "stage: a -> b -> c" of every stage that moved, in the order of its first move; ids without
  // their digest.
  std::vector<std::string> lives() const {
    std::vector<std::pair<plan::StageId, std::string>> lives;
    for (const schedule::Event& event : events) {
      const auto* moved = std::get_if<schedule::StageMoved>(&event);
      if (!moved) continue;
      auto life = std::find_if(lives.begin(), lives.end(),
                               [&](const auto& one) { return one.first == moved->stage; });
      if (life == lives.end())
        life = lives.insert(lives.end(),
                            {moved->stage, moved->stage.substr(0, moved->stage.find('-')) + ":"});
      life->second += fmt::format(" {}", to_string(moved->to));
    }
    std::vector<std::string> texts;
    for (const auto& [id, text] : lives) texts.push_back(text);
    return texts;
  }

  std::vector<schedule::AttemptEnded> failures() const {
    std::vector<schedule::AttemptEnded> failed;
    for (const schedule::Event& event : events)
      if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event); ended && !ended->ok)
        failed.push_back(*ended);
    return failed;
  }

 private:
  std::map<plan::StageId, int> attempts_;
};

}  // namespace orch::fakes
