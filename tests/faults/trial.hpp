// One case: a command under a fault, the same command without, and what a referee finds after it.
#pragma once

#include "crash/referee.hpp"
#include "faults/fault.hpp"

#include <map>

namespace orch::faults {

// What a case did to the store. All lists are empty in a good one.
struct Outcome {
  std::vector<std::string> lost, doubled;
  std::vector<std::string> final;   // failures on record as results of the system under test
  std::vector<std::string> left;    // processes, folders of attempts, files that belong to nothing
  std::vector<std::string> verify;  // what `verify` says
  std::vector<std::string> other;   // a crash, no end, an exit status, wrong rows
  std::size_t kept = 0;             // folders of failed attempts, which stay for inspection
  bool fired = false;               // a call failed
  double wall_s = 0;
  std::string story;  // the calls that failed, and what the command said

  bool clean() const;
  std::string text() const;
};

// The calls of PROGRAM in an undisturbed run.
Counts count_calls(std::size_t program);

// How long a disturbed command may take: five times 20 s until a server counts as not ready, and
// 19 s of delays between five attempts.
inline constexpr double k_disturbed_s = 150;

// Waits for the end of the disturbed command; one that hangs is killed, and its end is `late`.
crash::Ended end_of(crash::World& world, crash::World::Run& run);

// In a world of its own. LANE: unique among the trials at one time.
Outcome try_fault(const Fault& fault, int lane);

// The sweep that the trials run: 8 stages.
inline constexpr const char* k_one_point = "axes: {precision: [f16]}\n";

// Runs the sweep of WORLD without a fault, and judges the store. DISTURBED: the run before it.
Outcome judge(crash::World& world, crash::Referee& referee, const crash::Ended& disturbed,
              const crash::World::Variables& variables = {});

// The store of the sweep, undisturbed.
const crash::Snapshot& undisturbed();

// Sums over many cases.
class Table {
 public:
  explicit Table(std::string title) : title_(std::move(title)) {}
  void add(const std::string& row, const Outcome& outcome);
  std::string text() const;

 private:
  struct Row {
    int cases = 0, fired = 0, lost = 0, doubled = 0, final = 0, left = 0, verify = 0, other = 0;
    std::size_t kept = 0;
    double longest_s = 0;
  };

  std::string title_;
  std::map<std::string, Row> rows_;
};

}  // namespace orch::faults
