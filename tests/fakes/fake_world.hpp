// Everything the scheduler works with, in memory, on a clock that only the fakes turn.
#pragma once

#include "fakes/memory_files.hpp"
#include "schedule/scheduler.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace orch::fakes {

class FakeClock final : public system::Clock {
 public:
  double time_s = 1000;
  double now_s() override { return time_s; }
  double wall_s() override { return time_s; }
};

// What a fake process does: it writes files at once and ends by itself after a time, or when it is told.
struct Behaviour {
  double lasts_s = 1;  // infinity: a server
  int code = 0;
  int signal = 0;
  std::map<std::string, std::string> writes = {};  // absolute path -> text
  bool ignores_term = false;
  double leaves_child_s = 0;                  // a child that outlives the leader by this
};

class FakeExecutor final : public execute::Executor {
 public:
  FakeExecutor(FakeClock& clock, MemoryFiles& files) : clock_(clock), files_(files) {}

  std::function<Behaviour(const execute::Launch&)> behave = [](const execute::Launch&) { return Behaviour{}; };
  std::vector<std::string> diary;   // "start a b c", "term a", "kill a"
  std::size_t most_at_once = 0;

  // Programs go by their names, wherever they stand.
  Result<execute::Handle> start(const execute::Launch& asked) override {
    execute::Launch launch = asked;
    launch.argv.front() = launch.argv.front().substr(launch.argv.front().rfind('/') + 1);
    diary.push_back("start " + name(launch));
    if (launch.argv.front() == "missing") return Error{ErrorKind::not_found, "cannot run 'missing': no such program", {}};
    const Behaviour behaviour = behave(launch);
    for (const auto& [path, text] : behaviour.writes) {
      (void)files_.make_folder(path.substr(0, path.rfind('/'))).ok();
      files_.files[path] = text;
    }
    running_[launch.token] = {name(launch), behaviour, clock_.time_s + behaviour.lasts_s, 0};
    most_at_once = std::max(most_at_once, running_.size());
    return execute::Handle{{++pid_, 1}, launch.token};
  }

  std::function<void(double time_s)> on_time;  // hears the time at every poll

  std::vector<execute::Ended> poll(double wait_s) override {
    if (on_time) on_time(clock_.time_s);
    double next = clock_.time_s + wait_s;
    for (const auto& [token, process] : running_) next = std::min(next, process.ends_s);
    clock_.time_s = std::max(clock_.time_s, next);
    std::vector<execute::Ended> ended;
    for (auto it = running_.begin(); it != running_.end();) {
      if (it->second.ends_s > clock_.time_s) {
        ++it;
        continue;
      }
      const Process& process = it->second;
      ended.push_back({.token = it->first, .code = process.killed_by ? -1 : process.behaviour.code, .signal = process.killed_by ? process.killed_by : process.behaviour.signal, .cpu_s = 0.5, .max_rss_bytes = 1 << 20});
      if (ended.back().signal) ended.back().code = -1;
      if (process.behaviour.leaves_child_s > 0) children_[it->first] = clock_.time_s + process.behaviour.leaves_child_s;
      it = running_.erase(it);
    }
    return ended;
  }

  void terminate(const execute::Handle& handle) override { end(handle.token, "term", SIGTERM); }
  void kill(const execute::Handle& handle) override {
    if (handle.process.pid <= 1) ADD_FAILURE() << "kill of a launch that was never started";
    if (children_.erase(handle.token)) diary.push_back("kill what is left");
    end(handle.token, "kill", SIGKILL);
  }
  bool gone(const execute::Handle& handle, bool) override {
    const auto child = children_.find(handle.token);
    return !running_.contains(handle.token) && (child == children_.end() || child->second <= clock_.time_s);
  }
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
  };

  static std::string name(const execute::Launch& launch) { return fmt::format("{}", fmt::join(launch.argv, " ")); }

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
  std::map<std::string, double> children_;
  int pid_ = 100;
};

class FakeReadiness final : public execute::Readiness {
 public:
  explicit FakeReadiness(FakeClock& clock) : clock_(clock) {}
  double after_s = 2;
  execute::HealthReport then = {execute::Health::ready, ""};

  void watch(const std::string& token, const execute::Probe& probe) override {
    since_[token] = clock_.time_s;
    last = probe;
  }
  execute::HealthReport report(const std::string& token) override {
    return clock_.time_s - since_.at(token) >= after_s ? then : execute::HealthReport{};
  }
  void forget(const std::string& token) override { since_.erase(token); }
  execute::Probe last;

 private:
  FakeClock& clock_;
  std::map<std::string, double> since_;
};

class FakePorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override {
    std::vector<system::PortLease> leases;
    for (std::size_t i = 0; i < count; ++i) leases.emplace_back(next++, system::Descriptor());
    return leases;
  }
  int next = 20000;
};

class FakeInterrupts final : public schedule::Interrupts {
 public:
  int asked = 0;
  int count() override { return asked; }
};

// Keeps every event; can refuse to commit; judges measurements by the test's own rule.
class MemoryJournal final : public schedule::Journal {
 public:
  std::vector<schedule::Event> events;
  std::size_t durable = 0;                // events that a commit has covered
  std::size_t commits = 0;
  std::size_t fail_at_commit = 0;         // 0: never
  std::function<std::string(const schedule::AttemptKey&)> judge = [](const schedule::AttemptKey&) { return std::string(); };

  int next_attempt(const plan::StageId& stage) override { return ++attempts_[stage]; }
  void append(const schedule::Event& event) override { events.push_back(event); }
  Status commit() override {
    if (++commits == fail_at_commit) return Error{ErrorKind::io, "disk I/O error", {}};
    durable = events.size();
    return {};
  }
  std::string invalid_reasons(const schedule::AttemptKey& key) override { return judge(key); }

  // "stage: a -> b -> c" of every stage that moved, in the order of its first move; ids without their digest.
  std::vector<std::string> lives() const {
    std::vector<std::pair<plan::StageId, std::string>> lives;
    for (const schedule::Event& event : events) {
      const auto* moved = std::get_if<schedule::StageMoved>(&event);
      if (!moved) continue;
      auto life = std::find_if(lives.begin(), lives.end(), [&](const auto& one) { return one.first == moved->stage; });
      if (life == lives.end()) life = lives.insert(lives.end(), {moved->stage, moved->stage.substr(0, moved->stage.find('-')) + ":"});
      life->second += fmt::format(" {}", schedule::to_string(moved->to));
    }
    std::vector<std::string> texts;
    for (const auto& [id, text] : lives) texts.push_back(text);
    return texts;
  }

  std::vector<schedule::AttemptEnded> failures() const {
    std::vector<schedule::AttemptEnded> failed;
    for (const schedule::Event& event : events)
      if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event); ended && !ended->ok) failed.push_back(*ended);
    return failed;
  }

 private:
  std::map<plan::StageId, int> attempts_;
};

}  // namespace orch::fakes
