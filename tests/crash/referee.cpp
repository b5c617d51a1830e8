#include "crash/referee.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orch::crash {

namespace {

bool is_service(const std::string& stage) { return stage.starts_with("serve"); }
bool is_measurement(const std::string& stage) { return stage.starts_with("bench"); }

void append(std::string& text, const char* word, const std::vector<std::string>& items) {
  for (const std::string& item : items) text += fmt::format("  {}: {}\n", word, item);
}

}  // namespace

std::string Verdict::text() const {
  std::string text;
  append(text, "lost", lost);
  append(text, "duplicated", duplicated);
  append(text, "overlapping", overlapping);
  append(text, "orphaned", orphaned);
  append(text, "wrong", wrong);
  return text;
}

void Referee::note_record() {
  const std::size_t lines = read_diary(world_).size();
  for (const std::string& stage : read_store(world_.store(), world_.folder()).done)
    on_record_.try_emplace(stage, lines);
}

void Referee::judge_record(Verdict& verdict, const Snapshot& final) const {
  if (!final.readable) verdict.wrong.push_back("the store cannot be read: " + final.why_not);
  for (const std::string& stage : reference_.done)
    if (!final.done.contains(stage))
      verdict.lost.push_back(stage + (on_record_.contains(stage)
                                          ? " was on record after a kill and is not at the end"
                                          : " is not there at the end"));
  // What an undisturbed sweep does not keep.
  for (const std::string& stage : final.done)
    if (!reference_.done.contains(stage)) verdict.wrong.push_back(stage + " was not removed");
  for (const auto& [stage, count] : final.valid_measurements)
    if (count > 1)
      verdict.duplicated.push_back(fmt::format("{} has {} valid measurements", stage, count));
  for (const std::string& stage : final.unfinished) verdict.wrong.push_back(stage);
  std::vector<std::string> missing, extra;
  std::set_difference(reference_.rows.begin(), reference_.rows.end(), final.rows.begin(),
                      final.rows.end(), std::back_inserter(missing));
  std::set_difference(final.rows.begin(), final.rows.end(), reference_.rows.begin(),
                      reference_.rows.end(), std::back_inserter(extra));
  if (!missing.empty())
    verdict.wrong.push_back(
        fmt::format("{} rows are missing, as {}", missing.size(), missing.front()));
  if (!extra.empty())
    verdict.wrong.push_back(
        fmt::format("{} rows are too many, as {}", extra.size(), extra.front()));
}

void Referee::judge_diary(Verdict& verdict) const {
  const std::vector<Entry> entries = read_diary(world_);
  std::map<std::string, int> ends;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const auto recorded = on_record_.find(entry.stage);
    if (entry.word == "overlap")
      verdict.overlapping.push_back("two attempts at " + entry.stage + " lived at once");
    if (entry.word == "disturbed")
      verdict.overlapping.push_back(entry.stage + " worked beside a measurement");
    if (entry.word == "partial")
      verdict.wrong.push_back(entry.stage + " read an incomplete file: " + entry.rest);
    if (entry.word == "start" && recorded != on_record_.end() && i >= recorded->second)
      verdict.duplicated.push_back(entry.stage + " was started again though it was on record");
    if (entry.word == "end" && !is_service(entry.stage) && !is_measurement(entry.stage) &&
        ++ends[entry.stage] > 1)
      ++verdict.redone;
  }
}

Verdict Referee::judge(const Ended& last, const std::string& its_stderr) {
  Verdict verdict;
  const Snapshot final = read_store(world_.store(), world_.folder());
  if (last.late)
    verdict.wrong.push_back(
        fmt::format("the last run did not end within {:.0f} s: {}", last.wall_s, its_stderr));
  else if (last.code != 0)
    verdict.wrong.push_back(fmt::format("the last run ended with exit status {}, signal {}: {}",
                                        last.code, last.signal, its_stderr));
  judge_record(verdict, final);
  judge_diary(verdict);
  verdict.orphaned = left_behind(world_, final.folders, 5);
  return verdict;
}

void Tally::add(const Verdict& verdict, bool was_reached, double seconds) {
  ++hits;
  reached += was_reached;
  redone += verdict.redone;
  lost += verdict.lost.size();
  duplicated += verdict.duplicated.size();
  overlapping += verdict.overlapping.size();
  orphaned += verdict.orphaned.size();
  wrong += verdict.wrong.size();
  longest_s = std::max(longest_s, seconds);
}

std::string table(const std::string& title, const std::map<std::string, Tally>& rows) {
  std::string text = fmt::format(
      "\n{:<40} {:>6} {:>6} {:>5} {:>10} {:>11} {:>8} {:>5} {:>6} {:>9}\n", title, "tried",
      "killed", "lost", "duplicated", "overlapping", "orphaned", "wrong", "redone", "longest s");
  Tally sum;
  const auto line = [&text](const std::string& name, const Tally& row) {
    text += fmt::format("{:<40} {:>6} {:>6} {:>5} {:>10} {:>11} {:>8} {:>5} {:>6} {:>9.2f}\n", name,
                        row.hits, row.reached, row.lost, row.duplicated, row.overlapping,
                        row.orphaned, row.wrong, row.redone, row.longest_s);
  };
  for (const auto& [name, row] : rows) {
    line(name, row);
    sum.hits += row.hits, sum.reached += row.reached, sum.redone += row.redone,
        sum.lost += row.lost, sum.duplicated += row.duplicated;
    sum.overlapping += row.overlapping, sum.orphaned += row.orphaned, sum.wrong += row.wrong;
    sum.longest_s = std::max(sum.longest_s, row.longest_s);
  }
  line(fmt::format("{} in all", rows.size()), sum);
  return text;
}

}  // namespace orch::crash
