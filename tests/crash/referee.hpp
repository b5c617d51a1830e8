// Compares what came of a sweep that was killed and resumed with one that nobody touched, and
// counts what is wrong.
#pragma once

#include "crash/diary.hpp"
#include "crash/snapshot.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::crash {

struct Verdict {
  std::vector<std::string> lost;         // was on record, or should be, and is not
  std::vector<std::string> duplicated;   // was on record and was made again; or is on record twice
  std::vector<std::string> overlapping;  // two attempts at one stage lived at once, or something
                                         // worked beside a measurement
  std::vector<std::string> orphaned;     // left behind
  std::vector<std::string> wrong;  // anything else: exit status, content, what was read unpublished
  int redone =
      0;  // tasks that ran to their end more than once, none of which was on record: permitted

  bool clean() const {
    return lost.empty() && duplicated.empty() && overlapping.empty() && orphaned.empty() &&
           wrong.empty();
  }
  std::string text() const;
};

// One sweep, however often it is killed.
class Referee {
 public:
  // REFERENCE: of a sweep that nobody touched.
  Referee(const World& world, const Snapshot& reference) : world_(world), reference_(reference) {}

  // Between a kill and the run that follows it: notes what is on record.
  void note_record();
  // After the last run, which should have come to its end.
  Verdict judge(const Ended& last, const std::string& its_stderr);

 private:
  void judge_record(Verdict& verdict, const Snapshot& final) const;
  void judge_diary(Verdict& verdict) const;

  const World& world_;
  const Snapshot& reference_;
  std::map<std::string, std::size_t>
      on_record_;  // stage -> lines of the diary when it was first seen on record
};

// Sums over many sweeps, and the table of them.
struct Tally {
  int hits = 0, reached = 0, redone = 0;
  std::size_t lost = 0, duplicated = 0, overlapping = 0, orphaned = 0, wrong = 0;
  double longest_s = 0;

  void add(const Verdict& verdict, bool was_reached, double seconds);
};

std::string table(const std::string& what, const std::map<std::string, Tally>& rows);

}  // namespace orch::crash
