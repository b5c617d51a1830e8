// The progress of a run on stderr: a line that is redrawn on a terminal, plain lines elsewhere.
// Only observes.
#pragma once

#include "plan/plan.hpp"
#include "schedule/scheduler.hpp"

#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace orch::cli {

class ProgressLines final : public schedule::Observer {
 public:
  // Labels stages with those of the parameters NAMES that vary. TERMINAL: STREAM is one, with
  // COLUMNS columns. PLAN must outlive this.
  ProgressLines(const plan::Plan& plan, const std::set<std::string>& names, std::FILE* stream,
                bool terminal, std::size_t columns);
  // Does not report the reuse of stages that an earlier round made.
  void leave_out(std::set<plan::StageId> made) { made_ = std::move(made); }
  ~ProgressLines() override;

  void on_event(const schedule::Event& event) override;
  void on_tick(const schedule::Progress& progress) override;

 private:
  std::string took(const plan::StageId& stage, std::string_view word) const;
  void line(std::string_view word, const plan::StageId& stage, const std::string& text);
  void add_to_group(const std::string& word, const std::string& why);
  void flush_group();
  void erase_status();

  std::map<plan::StageId, std::string> labels_;  // "quantize-1a2b3c (precision=q8_0)"
  std::set<plan::StageId> made_;
  std::set<plan::StageId> processes_;       // stages that had a process
  std::map<plan::StageId, double> took_s_;  // until the end, or until ready
  std::map<plan::StageId, std::string> messages_;
  std::string group_word_, group_why_;
  std::size_t group_size_ = 0;  // stages of the group, not printed yet
  std::FILE* stream_;
  bool terminal_;
  std::size_t columns_;
  bool drawn_ = false;
};

// "[12/40] quantize-1a2b3c 4.1 s, ... - 1 failed - about 2 min left", at most COLUMNS characters.
std::string status_line(const schedule::Progress& progress, std::size_t columns);

}  // namespace orch::cli
