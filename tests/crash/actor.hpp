// Shared by the processes of the fake stack: the diary that they write, and the locks by which the
// kernel shows that they are alive. Knows nothing of orchestrate. Deterministic except for times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace actor {

// The folder in ORCH_CRASH_DIARY: `diary` has a line per start and end; `life/` a file per process,
// locked while it lives; `stage/` a file per stage, locked by the one process that may work on it;
// `alone`, held by a running measurement.
const std::string& diary_folder();

std::string variable(const char* name);
std::int64_t now_ns();

// One line, in a single write: "WORD TOKEN STAGE PID NS REST".
void note(const char* word, const std::string& stage, const std::string& rest = "");

// One stage at work: notes it in the diary, and whether another attempt at it is still alive.
class Work {
 public:
  explicit Work(const std::string& stage, const std::string& rest = "");
  // It ran to its end.
  void done(const std::string& rest = "") const;

 private:
  std::string stage_;
};

// A lock held until the process ends. Tasks share it, a measurement has it alone; a process that
// finds it taken notes "disturbed".
void hold_quiet(bool alone, const std::string& stage);
// Takes the lock of a forked process that shows that it is alive.
void hold_life(const std::string& name);

// Waits the time that ORCH_CRASH_PACE gives for KIND: "task=20,bench=30" in milliseconds.
void pace(const char* kind);

// The first attempt at the stage named by ORCH_CRASH_WAITS goes on once the diary's folder has a
// file `go`, and ends after two minutes without it.
void wait_once(const std::string& stage);

// The text of a file. A file made by a task of this program ends with the line "whole"; a stage
// that reads one without it notes "partial" and ends.
std::string read_whole(const std::string& path, const std::string& stage);
void write_file(const std::string& path, const std::string& text);
std::uint64_t fingerprint(const std::string& text);

// The words after each FLAG; the first of them, or OTHERWISE.
std::vector<std::string> values(const std::vector<std::string>& words, const std::string& flag);
std::string value(const std::vector<std::string>& words, const std::string& flag,
                  const std::string& otherwise = "");

int task(const std::vector<std::string>& words);
int batch(const std::vector<std::string>& words);
int serve(const std::vector<std::string>& words);
int bench(const std::vector<std::string>& words);

}  // namespace actor
