// The progress of a run on stderr: a line that is redrawn on a terminal, plain lines elsewhere.
// Only observes.
#pragma once

#include "app/cli/progress/stage_labels.hpp"
#include "run/schedule/scheduler.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace orch::cli {

// Where progress is written.
struct Screen {
  std::FILE* stream = stderr;
  bool terminal = false;     // STREAM is one: the last line is redrawn
  bool coloured = false;     // words in colours (never where NO_COLOR is set)
  std::size_t columns = 80;  // of the terminal
};

class ProgressLines final : public schedule::Observer {
 public:
  ProgressLines(StageLabels labels, Screen screen);
  // Does not report the reuse of stages that an earlier round made.
  void leave_out(std::set<plan::StageId> made) { made_ = std::move(made); }
  // STATUS_OF gives the status of the measurement of a process, by its token; "" when it is
  // unknown.
  void show_measurements(std::function<std::string(const std::string& process)> status_of) {
    status_of_ = std::move(status_of);
  }
  ~ProgressLines() override;

  void on_event(const schedule::Event& event) override;
  void on_tick(const schedule::Progress& progress) override;

 private:
  std::string took(const plan::StageId& stage, std::string_view word) const;
  std::string word_of(std::string_view word) const;
  void write(std::string_view word, const std::string& text) const;
  void line(std::string_view word, const plan::StageId& stage, const std::string& text);
  void add_to_group(const std::string& word, const std::string& why);
  void flush_group();
  void flush_reused();
  std::map<plan::StageId, std::string> statuses(const schedule::Progress& progress) const;

  const StageLabels labels_;
  const Screen screen_;
  std::set<plan::StageId> made_;
  std::function<std::string(const std::string&)> status_of_;
  std::set<plan::StageId> processes_;            // stages that had a process
  std::map<plan::StageId, std::string> tokens_;  // of their newest processes
  std::map<plan::StageId, double> took_s_;       // until the end, or until ready
  std::map<plan::StageId, std::string> messages_;
  std::set<std::string> tails_;  // last lines of logs that were printed
  std::string group_word_, group_why_;
  std::size_t group_size_ = 0;                 // stages of the group, not printed yet
  std::map<std::string, std::size_t> reused_;  // why -> stages, not printed yet
  std::string status_;                         // the status line on the terminal
};

// "######-------- 12/40  1 failed  about 2 min left  bench q8_0 4.1 s (120 requests, 30 req/s)", at
// most COLUMNS characters. STATUSES: of measurements under way.
std::string status_line(const schedule::Progress& progress, const StageLabels& labels,
                        std::size_t columns,
                        const std::map<plan::StageId, std::string>& statuses = {});

}  // namespace orch::cli
