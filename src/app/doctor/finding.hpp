// The results of examining a machine: sections of findings, as text and as JSON.
#pragma once

#include "app/session/world.hpp"
#include "core/base/enum_names.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orch::doctor {

enum class Level {
  ok,
  note,     // absent, and not needed by most people
  unknown,  // cannot be checked now, and may be missing
  warning,  // works with a limitation, or could not be checked
  missing,  // absent, and something does not work without it
};

constexpr auto names_of(Tag<Level>) {
  return value_names("ok", "note", "unknown", "warning", "missing");
}

struct Finding {
  Level level = Level::ok;
  std::string what;
  std::string remedy = {};  // a command, or a key with its value; "" if there is nothing to do
  std::vector<std::string> points = {};  // names of the points concerned; empty: not about points
};

struct Section {
  std::string heading;
  std::vector<Finding> findings = {};
  // The user requested the section: if something is missing in it, the exit status differs.
  bool is_asked_for = false;

  void add(Level level, std::string what, std::string remedy = "") {
    findings.push_back({level, std::move(what), std::move(remedy)});
  }
  bool lacks() const;
};

// A line for FINDING, and one more if it has a remedy.
std::string text_of(const Finding& finding);
// The findings of each section below its heading, and finally the exit status with its reason.
std::string text_of(std::span<const Section> sections);
std::string json_of(std::span<const Section> sections);

// Whether something is missing in a section that was requested.
bool lacks_what_was_asked_for(std::span<const Section> sections);

// Queries to programs and to the driver, each with a time limit. A query that hangs is a finding.

// The outcome of a query.
struct Answer {
  bool ok = false;          // it ended with status 0
  bool hangs = false;       // the program did not end in time, and was killed if possible
  std::string output = {};  // stdout
  std::string errors = {};  // stderr
  std::string reason = {};  // why it is not ok, in one line
};

class Asking {
 public:
  // WORLD must outlive this object.
  Asking(session::World& world, double patience_s) : world_(world), patience_s_(patience_s) {}

  // The path of the program NAME, which is searched on PATH unless it is a path itself; nullopt if
  // there is no such executable.
  std::optional<std::string> find(const std::string& name) const;
  // Runs ARGV with the environment of this process, or with ENV. Returns soon after PATIENCE_S at
  // the latest, even if the program cannot be killed because it is blocked in the kernel.
  Answer ask(const std::vector<std::string>& argv) const;
  Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env,
             double patience_s) const;

  session::World& world() const { return world_; }
  double patience_s() const { return patience_s_; }

 private:
  session::World& world_;
  double patience_s_;
};

// The command that installs PROGRAM, or the page that explains how; "" if unknown.
std::string how_to_install(const std::string& program);

// The result of CALL, or nullopt if it takes longer than PATIENCE_S: a call into a driver or to a
// file server may never return. Its thread is left behind then.
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
