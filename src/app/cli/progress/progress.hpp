// The progress of a run on stderr: a line that is redrawn on a terminal, otherwise plain lines.
// Only observes the run.
#pragma once

#include "app/cli/commands.hpp"
#include "app/session/matrix_run.hpp"
#include "app/session/world.hpp"
#include "os/system/work/long_work.hpp"
#include "plan/graph/plan.hpp"
#include "run/schedule/scheduler.hpp"
#include "run/simulate/simulate.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::cli {

// Names of stages for people, made of the parameters that differ: "bench tiny q8_0 isl128 bs4 10
// req/s".

class StageLabels {
 public:
  // NAMES are the parameters that may differ, in the order of the matrix.
  StageLabels(const plan::Plan& plan, const std::vector<std::string>& names);

  // The name of STAGE, then the model and the values of parameters that differ among the points of
  // the plan but not among the points of the stage.
  const std::string& of(const plan::StageId& stage) const;
  // of() followed by the id: "quantize q8_0 (quantize-1a2b3c)".
  std::string with_id(const plan::StageId& stage) const;

 private:
  std::map<plan::StageId, std::string> labels_;
};

// A parameter in short: "bs4" for batch_size 4; "name=value" for those without a short form.
std::string short_value(const std::string& name, const std::string& value);

// Where progress is written.
struct Screen {
  std::FILE* stream = stderr;
  bool terminal = false;     // `stream` is a terminal, whose last line is redrawn
  bool coloured = false;     // words have colours; never if NO_COLOR is set
  std::size_t columns = 80;  // of the terminal
};

class ProgressLines final : public schedule::Observer {
 public:
  ProgressLines(StageLabels labels, Screen screen);
  // Reuse of the stages MADE, which an earlier round has done, is not reported.
  void leave_out(std::set<plan::StageId> made) { made_ = std::move(made); }
  // STATUS_OF returns the status of the measurement of a process, given the process's token; "" if
  // unknown.
  void show_measurements(std::function<std::string(const std::string& process)> status_of) {
    status_of_ = std::move(status_of);
  }
  ~ProgressLines() override;

  void on_event(const schedule::Event& event) override;
  void on_tick(const schedule::Progress& progress) override;

 private:
  // What the events have said about a stage.
  struct Stage {
    bool had_process = false;
    std::string token;             // of its newest process
    std::optional<double> took_s;  // until the end, or until ready
    std::string message;           // of its last failure
  };
  // Consecutive stages that were skipped or stopped for the same reason; they share a line, which
  // is not printed yet.
  struct Group {
    std::string word, why;
    std::size_t size = 0;
  };

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
  std::map<plan::StageId, Stage> stages_;
  std::set<std::string> tails_;  // last lines of logs that were printed
  Group group_;
  std::map<std::string, std::size_t> reused_;  // why -> stages, not printed yet
  std::string status_;                         // the status line on the terminal
};

// "####---------- 12/40  1 failed  about 2 min 00 s left  bench q8_0 4.1 s (120 requests, 30
// req/s)" in at most COLUMNS characters. STATUSES are those of measurements under way.
std::string status_line(const schedule::Progress& progress, const StageLabels& labels,
                        std::size_t columns,
                        const std::map<plan::StageId, std::string>& statuses = {});

// The progress of hashing large files, on one line of a terminal. Prints nothing if the screen is
// not a terminal.

class HashingLine {
 public:
  // WHAT names the work: "hashing inputs".
  HashingLine(std::string what, Screen screen) : what_(std::move(what)), screen_(screen) {}
  HashingLine(const HashingLine&) = delete;
  HashingLine& operator=(const HashingLine&) = delete;
  ~HashingLine() { erase(); }

  void show(std::uint64_t done_bytes, std::uint64_t expected_bytes);
  void erase();
  // Hashing by WORKERS that shows its progress here. This object must outlive the result.
  system::WatchedHashing shown(system::Workers& workers);

 private:
  const std::string what_;
  const Screen screen_;
  bool drawn_ = false;
};

// Prints a run's reports on stderr: progress lines that are redrawn on a terminal, otherwise plain
// lines.

// The screen of STREAM, standard output or standard error.
Screen screen_of(std::FILE* stream);

class Console : public session::Reporter {
 public:
  // LAYOUT is that of the store whose measurements are shown. Borrows FILES.
  Console(system::Files& files, attempt::Layout layout);
  void report(session::Severity severity, const std::string& text) override;
  std::unique_ptr<schedule::Observer> watch(const session::Round& round) override;
  void hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) override;
  void hashed() override;

 private:
  system::Files& files_;
  const attempt::Layout layout_;
  HashingLine hashing_;
};

// The simulated schedule of a run as text for people.

// A lane per GPU, a line per attempt, then the total time and the shortest possible time.
std::string schedule_text(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline);
std::string schedule_json(const plan::Plan& plan, const simulate::Conditions& conditions,
                          const simulate::Timeline& timeline);

// Checks a matrix against this machine or the cluster: for `doctor MATRIX`, and for `run` before
// its first stage.

// Prints what the points of a matrix lack here, as text or JSON; returns the exit status. Writes
// only resolutions to the store.
Exit examine_matrix(session::RunOptions options, bool json);

// Prints what keeps points of PLANNING from running here, and how to proceed; true if nothing does.
bool passes_preflight(session::World& world, const session::Planning& planning);

}  // namespace orch::cli
