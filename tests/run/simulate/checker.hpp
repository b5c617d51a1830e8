// Says what is wrong with a schedule. Shares nothing with the scheduler: it knows only what a plan,
// a host and an isolation require.
#pragma once

#include "run/simulate/simulate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace orch::simulate {

class Checker {
 public:
  Checker(const plan::Plan& plan, const Conditions& conditions, const Timeline& timeline)
      : plan_(plan), conditions_(conditions), spans_(timeline.spans) {
    for (std::size_t i = 0; i < plan.stages.size(); ++i) index_[plan.stages[i].id] = i;
  }

  // The first fault; "" for none.
  std::string fault() {
    check_that_all_ran();
    check_needs();
    check_pairs();
    check_sums();
    check_starvation();
    return fault_;
  }
  // The most stages that started before one that was ready before them and stands above them.
  std::size_t most_passed() const { return most_passed_; }

 private:
  const plan::Stage& stage(const Span& span) const { return plan_.stages[span.stage]; }
  runner::Kind kind(const Span& span) const { return stage(span).spec.kind; }
  template <class... Args> void fail(fmt::format_string<Args...> format, Args&&... args) {
    if (fault_.empty()) fault_ = fmt::format(format, std::forward<Args>(args)...);
  }
  static bool overlap(const Span& a, const Span& b) {
    return a.from_s < b.to_s && b.from_s < a.to_s;
  }
  bool is_alone(const Span& span) const {
    return plan_.isolation == matrix::Isolation::strict || stage(span).alone;
  }

  void check_that_all_ran() {
    std::map<std::size_t, std::size_t> count;
    for (const Span& span : spans_) ++count[span.stage];
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      const bool service = plan_.stages[i].spec.kind == runner::Kind::service;
      if (count[i] == 0) fail("{} never ran", plan_.stages[i].id);
      if (count[i] > 1 && !service) fail("{} ran {} times", plan_.stages[i].id, count[i]);
    }
  }

  void check_needs() {
    std::map<std::size_t, double> made_s;
    for (const Span& span : spans_)
      if (kind(span) == runner::Kind::task) made_s[span.stage] = span.to_s;
    for (const Span& span : spans_) {
      for (const auto& [name, id] : stage(span).needs) {
        const std::size_t need = index_.at(id);
        if (plan_.stages[need].spec.kind != runner::Kind::service) {
          if (!made_s.contains(need) || made_s[need] > span.from_s)
            fail("{} started before {} was made", stage(span).id, id);
          continue;
        }
        const Span& server = spans_.at(span.server);
        if (server.stage != need) fail("{} was measured on another server", stage(span).id);
        if (span.from_s < server.ready_s || span.to_s > server.to_s)
          fail("{} was measured while its server was not up", stage(span).id);
      }
      const auto wanted = static_cast<std::size_t>(stage(span).gpus);
      if (span.gpus.size() != std::min(wanted, conditions_.inventory.gpus.size()))
        fail("{} has {} GPUs of {}", stage(span).id, span.gpus.size(), wanted);
    }
  }

  bool holds_cores_alone(const Span& span) const {
    const plan::Stage& one = stage(span);
    const bool counted = one.share && one.share->cores;
    return one.spec.kind == runner::Kind::service || counted || one.gpus > 0;
  }

  void check_pairs() {
    for (std::size_t a = 0; a < spans_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (!overlap(spans_[a], spans_[b])) continue;
        check_pair(a, b);
        check_alone(a, b);
        check_alone(b, a);
      }
  }

  void check_pair(std::size_t a, std::size_t b) {
    const Span &one = spans_[a], &other = spans_[b];
    const auto common = [](const std::vector<int>& x, const std::vector<int>& y) {
      return std::any_of(x.begin(), x.end(),
                         [&](int i) { return std::find(y.begin(), y.end(), i) != y.end(); });
    };
    if (common(one.gpus, other.gpus)) fail("{} and {} share a GPU", stage(one).id, stage(other).id);
    const bool measures =
        kind(one) == runner::Kind::measure && kind(other) == runner::Kind::measure;
    if (measures && one.server == other.server)
      fail("{} and {} measure one server at a time", stage(one).id, stage(other).id);
    const bool of_server =
        kind(one) == runner::Kind::measure || kind(other) == runner::Kind::measure;
    if (plan_.isolation == matrix::Isolation::gpu && !of_server &&
        (holds_cores_alone(one) || holds_cores_alone(other)) && common(one.cpus, other.cpus))
      fail("{} and {} share a core", stage(one).id, stage(other).id);
    if (plan_.isolation == matrix::Isolation::strict && kind(one) == runner::Kind::service &&
        kind(other) == runner::Kind::service)
      fail("{} and {} are up at the same time", stage(one).id, stage(other).id);
  }

  void check_alone(std::size_t measurement, std::size_t other) {
    const Span& span = spans_[measurement];
    if (kind(span) != runner::Kind::measure || !is_alone(span) || other == span.server) return;
    fail("{} is measured beside {}", stage(span).id, stage(spans_[other]).id);
  }

  // At every start: what is held of memory, disk, tokens and counted cores, and how many tasks run.
  void check_sums() {
    const resources::Inventory& host = conditions_.inventory;
    for (const Span& at : spans_) {
      double memory_gib = 0;
      std::uint64_t disk_bytes = 0;
      int cores = 0;
      std::size_t tasks = 0, writers = 0;
      std::map<std::string, int> tokens;
      for (const Span& span : spans_) {
        if (span.from_s > at.from_s || span.to_s <= at.from_s) continue;
        tasks += kind(span) == runner::Kind::task;
        if (kind(span) == runner::Kind::task && stage(span).estimate.needed_bytes > 0) {
          disk_bytes += stage(span).estimate.needed_bytes;
          ++writers;
        }
        if (const auto& share = stage(span).share) {
          memory_gib += share->memory_gib;
          cores += share->cores.value_or(0);
          for (const auto& [name, count] : share->tokens) tokens[name] += count;
        }
      }
      const std::string& id = stage(at).id;
      if (host.memory_gib > 0 && memory_gib > host.memory_gib) fail("too much memory at {}", id);
      // A task that needs more than there is runs, in a simulation, beside none that writes.
      if (host.disk_bytes && writers > 1 && disk_bytes > *host.disk_bytes)
        fail("too much disk at {}", id);
      if (cores > static_cast<int>(host.cores.size())) fail("too many cores at {}", id);
      if (tasks > conditions_.jobs) fail("{} tasks at {}", tasks, id);
      for (const auto& [name, count] : tokens)
        if (const auto there = host.tokens.find(name);
            count > (there == host.tokens.end() ? 1 : there->second))
          fail("{} of token {} at {}", count, name, id);
    }
  }

  // Tasks and servers only: a measurement waits for its own server alone.
  void check_starvation() {
    std::map<std::size_t, double> made_s;
    for (const Span& span : spans_)
      if (kind(span) == runner::Kind::task) made_s[span.stage] = span.to_s;
    std::set<std::size_t> seen;
    for (const Span& span : spans_) {
      if (kind(span) == runner::Kind::measure || !seen.insert(span.stage).second) continue;
      double ready_s = 0;
      for (const auto& [name, id] : stage(span).needs)
        ready_s = std::max(ready_s, made_s[index_.at(id)]);
      std::size_t passed = 0;
      for (const Span& other : spans_)
        passed += kind(other) == kind(span) && other.stage > span.stage && other.attempt == 1 &&
                  other.from_s > ready_s && other.from_s < span.from_s;
      most_passed_ = std::max(most_passed_, passed);
    }
  }

  const plan::Plan& plan_;
  const Conditions& conditions_;
  const std::vector<Span>& spans_;
  std::map<plan::StageId, std::size_t> index_;
  std::string fault_;
  std::size_t most_passed_ = 0;
};

}  // namespace orch::simulate
