// What a process of the fake stack shares with its kind: the diary it writes, and the locks that
// say to the kernel's own knowledge that it lives. Knows nothing of orchestrate; everything it does
// is deterministic but its times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace actor {

// The folder in ORCH_CRASH_DIARY: `diary` has a line per start and end; `life/` a file per process,
// locked while it lives; `stage/` a file per stage, locked by the one process that may work on it;
// `alone`, held by whoever measures.
const std::string& diary_folder();

std::string variable(const char* name);
std::int64_t now_ns();

// One line, written at once: "WORD TOKEN STAGE PID NS REST".
void note(const char* word, const std::string& stage, const std::string& rest = "");

// One stage at work: says so in the diary, and whether another attempt at it is still alive.
class Work {
 public:
  explicit Work(const std::string& stage, const std::string& rest = "");
  // It ran to its end.
  void done(const std::string& rest = "") const;

 private:
  std::string stage_;
};

// Held until the process ends. Tasks share it, a measurement has it alone; whoever finds it held
// notes "disturbed".
void hold_quiet(bool alone, const std::string& stage);
// A process that was forked off says that it lives.
void hold_life(const std::string& name);

// Waits as long as ORCH_CRASH_PACE says for KIND: "task=20,bench=30" in milliseconds.
void pace(const char* kind);

// The text of a file. One that a task of this program made ends with the line "whole"; a stage that
// reads one that does not notes "partial" and ends.
std::string read_whole(const std::string& path, const std::string& stage);
void write_file(const std::string& path, const std::string& text);
std::uint64_t fingerprint(const std::string& text);

// The words after FLAG, each time it stands there; the first one, or OTHERWISE.
std::vector<std::string> values(const std::vector<std::string>& words, const std::string& flag);
std::string value(const std::vector<std::string>& words, const std::string& flag,
                  const std::string& otherwise = "");

int task(const std::vector<std::string>& words);
int batch(const std::vector<std::string>& words);
int serve(const std::vector<std::string>& words);
int bench(const std::vector<std::string>& words);

}  // namespace actor
