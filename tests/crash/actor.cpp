// The fake stack in one small program, linked statically so that it starts in a millisecond:
//   actor task STAGE OUT FILE... [--from PATH]... [--fail WHERE]
//   actor batch JOBS [--fail WHERE]
//   actor serve STAGE PORT [--from PATH]... [--shm PREFIX] [--mode MODE] [--fail WHERE]
//   actor bench STAGE URL OUT [--fail WHERE]
// --fail ends the stage with an error when WHERE is its kind ("build" of "build-f16").
#include "actor.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace actor {

const std::string& diary_folder() {
  static const std::string folder = variable("ORCH_CRASH_DIARY");
  return folder;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void note(const char* word, const std::string& stage, const std::string& rest) {
  if (diary_folder().empty()) return;
  const int file =
      ::open((diary_folder() + "/diary").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  const std::string token = variable("ORCHESTRATE_ATTEMPT");
  const std::string line = std::string(word) + " " + (token.empty() ? "-" : token) + " " + stage +
                           " " + std::to_string(::getpid()) + " " + std::to_string(now_ns()) +
                           (rest.empty() ? "" : " " + rest) + "\n";
  if (::write(file, line.data(), line.size()) < 0) std::perror("diary");
  ::close(file);
}

namespace {

// Never closed: the lock ends with the process. False: another process has it.
bool hold(const std::string& path, int operation) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  return file >= 0 && ::flock(file, operation | LOCK_NB) == 0;
}

}  // namespace

void hold_life(const std::string& name) {
  if (diary_folder().empty()) return;
  hold(diary_folder() + "/life/" + name + "-" + std::to_string(::getpid()) + "-" +
           std::to_string(now_ns()),
       LOCK_EX);
}

Work::Work(const std::string& stage, const std::string& rest) : stage_(stage) {
  if (diary_folder().empty()) return;
  hold_life(stage);
  if (!hold(diary_folder() + "/stage/" + stage, LOCK_EX)) note("overlap", stage);
  note("start", stage, rest);
}

void Work::done(const std::string& rest) const { note("end", stage_, rest); }

void hold_quiet(bool alone, const std::string& stage) {
  // Each node of a cluster has quiet of its own.
  const std::string lock = diary_folder() + "/alone" + variable("SLURMD_NODENAME");
  if (!diary_folder().empty() && !hold(lock, alone ? LOCK_EX : LOCK_SH)) note("disturbed", stage);
}

void pace(const char* kind) {
  const std::string pace = "," + variable("ORCH_CRASH_PACE");
  const std::size_t found = pace.find("," + std::string(kind) + "=");
  if (found == std::string::npos) return;
  const long ms = std::atol(pace.c_str() + found + std::strlen(kind) + 2);
  timespec left{ms / 1000, ms % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0) {
  }
}

void wait_once(const std::string& stage) {
  if (variable("ORCH_CRASH_WAITS") != stage) return;
  const std::string mark = diary_folder() + "/waited", go = diary_folder() + "/go";
  if (::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) < 0) return;
  ::alarm(120);
  while (::access(go.c_str(), F_OK) != 0) ::usleep(10'000);
  ::alarm(0);
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fclose(file) != 0) {
    std::perror(path.c_str());
    std::exit(1);
  }
}

std::string read_whole(const std::string& path, const std::string& stage) {
  std::string text;
  char bytes[4096];
  std::FILE* file = std::fopen(path.c_str(), "r");
  for (std::size_t got; file && (got = std::fread(bytes, 1, sizeof bytes, file)) > 0;)
    text.append(bytes, got);
  if (file) std::fclose(file);
  if (text.size() < 6 || text.substr(text.size() - 6) != "whole\n") {
    note("partial", stage, path);
    std::fprintf(stderr, "%s is not whole\n", path.c_str());
    std::exit(1);
  }
  return text;
}

std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return sum;
}

std::vector<std::string> values(const std::vector<std::string>& words, const std::string& flag) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == flag) found.push_back(words[i + 1]);
  return found;
}

std::string value(const std::vector<std::string>& words, const std::string& flag,
                  const std::string& otherwise) {
  const auto found = values(words, flag);
  return found.empty() ? otherwise : found.front();
}

namespace {

void fail_if_asked(const std::vector<std::string>& words, const std::string& stage) {
  if (value(words, "--fail") != stage.substr(0, stage.find('-'))) return;
  std::fprintf(stderr, "requested to fail at %s\n", stage.c_str());
  std::exit(1);
}

// In two steps with a pause between them, so that a kill can find half a file.
void make(const std::string& out, const std::string& file, const std::string& from) {
  const std::string path = out + "/" + file;
  std::string text = file + " from " + from + "\n";
  for (int line = 0; line < 64; ++line)
    text += "line " + std::to_string(fingerprint(from + file + std::to_string(line))) + "\n";
  const long bytes = std::atol(variable("ORCH_CRASH_BYTES").c_str());
  if (static_cast<long>(text.size()) < bytes) text += std::string(bytes - text.size(), '.') + "\n";
  write_file(path, text);
  pace("task");
  write_file(path, text + "whole\n");
}

// The first attempt at the stage named by ORCH_CRASH_DIES ends as if another process killed it.
void die_once(const std::string& stage) {
  if (variable("ORCH_CRASH_DIES") != stage) return;
  const int mark =
      ::open((diary_folder() + "/died").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (mark < 0) return;
  ::raise(SIGKILL);
}

// The stage named by ORCH_CRASH_LEAVES leaves a process behind when it ends.
void leave(const std::string& stage) {
  if (variable("ORCH_CRASH_LEAVES") != stage || ::fork() != 0) return;
  hold_life(stage + "-left");
  ::alarm(60);
  for (;;) ::pause();
}

// A file in the private temporary folder, to see whether it is removed.
void litter() {
  const std::string tmp = variable("TMPDIR");
  if (!tmp.empty() && tmp != "/tmp") write_file(tmp + "/litter", "left behind\n");
}

}  // namespace

int task(const std::vector<std::string>& words) {
  const std::string& stage = words.at(0);
  const Work work(stage, "tmp=" + variable("TMPDIR"));
  hold_quiet(false, stage);
  fail_if_asked(words, stage);
  die_once(stage);
  litter();
  wait_once(stage);
  std::string from = stage;
  for (const std::string& input : values(words, "--from"))
    from += " " + std::to_string(fingerprint(read_whole(input, stage)));
  for (std::size_t i = 2; i < words.size() && words[i].substr(0, 2) != "--"; ++i)
    make(words.at(1), words[i], from);
  leave(stage);
  work.done();
  return 0;
}

namespace {

// The values of KEY in a flat JSON text without escapes, in order.
std::vector<std::string> json_texts(const std::string& json, const std::string& key) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = json.find("\"" + key + "\"", at)) != std::string::npos;) {
    const std::size_t begin = json.find('"', json.find(':', at)) + 1;
    at = json.find('"', begin);
    found.push_back(json.substr(begin, at - begin));
  }
  return found;
}

}  // namespace

int batch(const std::vector<std::string>& words) {
  std::string json;
  std::FILE* file = std::fopen(words.at(0).c_str(), "r");
  char bytes[4096];
  for (std::size_t got; file && (got = std::fread(bytes, 1, sizeof bytes, file)) > 0;)
    json.append(bytes, got);
  const auto names = json_texts(json, "name"), outs = json_texts(json, "out"),
             fails = json_texts(json, "fail");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Work work(names[i], "tmp=" + variable("TMPDIR"));
    if (i == 0) hold_quiet(false, names[i]);
    if (i < fails.size() && fails[i] == "prompts") {
      std::fprintf(stderr, "requested to fail at %s\n", names[i].c_str());
      continue;
    }
    make(outs.at(i), "prompts.txt", names[i]);
    std::string prompts;
    for (int block = 0; block < 3; ++block)
      for (int p = 0; p < 4; ++p)
        prompts += "{\"text_input\": \"" + names[i] + " " + std::to_string(block) + " " +
                   std::to_string(p) +
                   "\", \"isl\": 3, \"warmup\": " + (p == 0 ? "true" : "false") +
                   ", \"block\": " + std::to_string(block) + "}\n";
    write_file(outs.at(i) + "/prompts.jsonl", prompts);
    work.done();
  }
  return 0;
}

}  // namespace actor

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return 2;
  const std::string verb = words.front();
  words.erase(words.begin());
  if (verb == "task") return actor::task(words);
  if (verb == "batch") return actor::batch(words);
  if (verb == "serve") return actor::serve(words);
  if (verb == "bench") return actor::bench(words);
  std::fprintf(stderr, "unknown verb %s\n", verb.c_str());
  return 2;
}
