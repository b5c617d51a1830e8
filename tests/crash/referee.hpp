// Compares a sweep that was killed and resumed with an undisturbed one, and lists the differences.
// Runs nothing itself.
#pragma once

#include "crash/diary.hpp"
#include "crash/snapshot.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::crash {

struct Verdict {
  std::vector<std::string> lost;        // was on record or should be, but is not
  std::vector<std::string> duplicated;  // on record and made again, or on record twice
  // Two attempts at one stage were alive at once, or a process disturbed a measurement.
  std::vector<std::string> overlapping;
  std::vector<std::string> orphaned;  // left behind
  std::vector<std::string>
      wrong;       // other errors: exit status, content, reading of unpublished outputs
  int redone = 0;  // tasks that completed more than once, none of them on record: permitted

  bool clean() const {
    return lost.empty() && duplicated.empty() && overlapping.empty() && orphaned.empty() &&
           wrong.empty();
  }
  std::string text() const;
};

// Watches one sweep, however often it is killed.
class Referee {
 public:
  // REFERENCE: of an undisturbed sweep.
  Referee(const World& world, const Snapshot& reference) : world_(world), reference_(reference) {}

  // Call between a kill and the next run: notes what is on record.
  void note_record();
  // Call after the last run, which should have completed.
  Verdict judge(const Ended& last, const std::string& its_stderr);

 private:
  void judge_record(Verdict& verdict, const Snapshot& final) const;
  void judge_diary(Verdict& verdict) const;

  const World& world_;
  const Snapshot& reference_;
  std::map<std::string, std::size_t>
      on_record_;  // stage -> lines of the diary when it was first seen on record
};

// Sums over many sweeps, and their table.
struct Tally {
  int hits = 0, reached = 0, redone = 0;
  std::size_t lost = 0, duplicated = 0, overlapping = 0, orphaned = 0, wrong = 0;
  double longest_s = 0;

  void add(const Verdict& verdict, bool was_reached, double seconds);
};

std::string table(const std::string& title, const std::map<std::string, Tally>& rows);

}  // namespace orch::crash
