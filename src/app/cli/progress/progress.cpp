#include "app/cli/progress/progress.hpp"

#include "app/cli/say.hpp"
#include "core/base/text.hpp"

#include <unistd.h>

namespace orch::cli {

using schedule::State;

namespace {

struct Spoken {
  std::string_view name;
  std::string_view before, after;  // texts before and after the value
};

constexpr Spoken k_spoken[] = {
    {"model", "", ""},        {"precision", "", ""},
    {"tp", "tp", ""},         {"pp", "pp", ""},
    {"cp", "cp", ""},         {"isl", "isl", ""},
    {"osl", "osl", ""},       {"batch_size", "bs", ""},
    {"concurrency", "c", ""}, {"request_rate", "", " req/s"},
    {"arrival", "", ""},      {"trtllm_version", "", ""},
    {"frontend", "", ""},     {"llm_backend", "", ""},
};

// The model, and those of NAMES whose values differ among the points.
std::vector<std::string> telling_names(const plan::Plan& plan,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> telling;
  for (const std::string& name : names) {
    std::set<std::string> seen;
    for (const plan::PlannedPoint& point : plan.points)
      if (const matrix::Value* value = point.point.parameters.find(name)) seen.insert(value->text);
      else seen.insert("");
    if (seen.size() > 1 || name == "model") telling.push_back(name);
  }
  return telling;
}

// The value of NAME if all points of STAGE have the same one; otherwise "".
std::string common_value(const plan::Plan& plan, const plan::Stage& stage,
                         const std::string& name) {
  std::set<std::string> seen;
  for (const std::size_t point : stage.points) {
    const matrix::Value* value = plan.points[point].point.parameters.find(name);
    seen.insert(value ? value->text : "");
    if (seen.size() > 1) return "";
  }
  return seen.empty() ? "" : *seen.begin();
}

constexpr std::size_t k_bar = 14;  // characters

// The ANSI colour of a line's first word; "" if it has none.
std::string_view colour_of(std::string_view word) {
  if (word == "FAILED") return "31";                                         // red
  if (word == "done" || word == "ready") return "32";                        // green
  if (word == "retry" || word == "again" || word == "skipped") return "33";  // yellow
  return "";
}

const std::string k_erase = "\r\x1b[K";  // erases the line of the cursor

// "checking 1.2 GiB of 40.0 GiB", "copying ..." or "publishing" while the outputs of a stage are
// read; else "".
std::string file_status(const schedule::Progress::Running& one) {
  if (one.expected_bytes == 0) return "";
  if (one.state == State::produced && one.done_bytes >= one.expected_bytes) return "publishing";
  return fmt::format("{} {} of {}", one.state == State::intent ? "copying" : "checking",
                     human_bytes(one.done_bytes), human_bytes(one.expected_bytes));
}

std::string_view prefix_of(session::Severity severity) {
  switch (severity) {
    case session::Severity::note: return "note: ";
    case session::Severity::warning: return "warning: ";
    case session::Severity::info:
    case session::Severity::error: break;
  }
  return "";
}

}  // namespace

std::string short_value(const std::string& name, const std::string& value) {
  for (const Spoken& spoken : k_spoken)
    if (spoken.name == name) return fmt::format("{}{}{}", spoken.before, value, spoken.after);
  return fmt::format("{}={}", name, value);
}

StageLabels::StageLabels(const plan::Plan& plan, const std::vector<std::string>& names) {
  const std::vector<std::string> telling = telling_names(plan, names);
  for (const plan::Stage& stage : plan.stages) {
    std::vector<std::string> words = {stage.spec.name};
    for (const std::string& name : telling)
      if (const std::string value = common_value(plan, stage, name); !value.empty())
        words.push_back(short_value(name, value));
    if (stage.repeat > 0) words.push_back(fmt::format("repeat {}", stage.repeat));
    labels_[stage.id] = join(words, " ");
  }
}

const std::string& StageLabels::of(const plan::StageId& stage) const {
  const auto label = labels_.find(stage);
  return label == labels_.end() ? stage : label->second;
}

std::string StageLabels::with_id(const plan::StageId& stage) const {
  const std::string& label = of(stage);
  return label == stage ? stage : fmt::format("{} ({})", label, stage);
}

ProgressLines::ProgressLines(StageLabels labels, Screen screen)
    : labels_(std::move(labels)), screen_(screen) {}

ProgressLines::~ProgressLines() {
  flush_group();
  flush_reused();
  if (!status_.empty()) draw(screen_.stream, k_erase);
}

void ProgressLines::add_to_group(const std::string& word, const std::string& why) {
  if (why != group_.why || word != group_.word) flush_group();
  group_ = {word, why, group_.size + 1};
}

void ProgressLines::flush_group() {
  if (!group_.size) return;
  write(group_.word, fmt::format("{}: {}", plural(group_.size, "stage"), group_.why));
  group_.size = 0;
}

// Prints one line for all reused stages: a resumed run may have thousands.
void ProgressLines::flush_reused() {
  if (reused_.empty()) return;
  std::size_t total = 0;
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [why, count] : std::exchange(reused_, {})) {
    total += count;
    reasons.emplace_back(count, why);
  }
  std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.first > b.first; });
  static constexpr std::size_t k_reasons = 3;
  std::vector<std::string> words;
  for (const auto& [count, why] : reasons) {
    if (words.size() == k_reasons) break;
    // The part after ';' of "made by run 3; nothing in its digest has changed" is the same for all.
    words.push_back(
        reasons.size() == 1 ? why : fmt::format("{} {}", count, why.substr(0, why.find(';'))));
  }
  if (reasons.size() > k_reasons) words.emplace_back("...");
  write("reused", fmt::format("{}: {}", plural(total, "stage"), join(words, ", ")));
}

// WORD in its column and colour.
std::string ProgressLines::word_of(std::string_view word) const {
  const std::string_view colour = screen_.coloured ? colour_of(word) : "";
  return colour.empty() ? fmt::format("{:<8}", word)
                        : fmt::format("\x1b[{}m{:<8}\x1b[0m", colour, word);
}

void ProgressLines::line(std::string_view word, const plan::StageId& stage,
                         const std::string& text) {
  flush_group();
  flush_reused();
  write(word, fmt::format("{}{}{}", labels_.with_id(stage), text.empty() ? "" : ": ", text));
}

// Writes a line above the status line. The colour of WORD is its only control sequence.
void ProgressLines::write(std::string_view word, const std::string& text) const {
  std::string shown = printable(text);
  if (screen_.terminal) shown = wrapped(fmt::format("{:<8} {}", word, shown), screen_.columns, 9);
  else shown = fmt::format("{:<8} {}", word, shown);
  draw(screen_.stream, (status_.empty() ? "" : k_erase) + word_of(word) +
                           shown.substr(std::max<std::size_t>(8, word.size())) + "\n" + status_);
}

// WORD and the recorded duration; "" for a stage without a process.
std::string ProgressLines::took(const plan::StageId& stage, std::string_view word) const {
  const auto known = stages_.find(stage);
  if (known == stages_.end() || !known->second.took_s) return "";
  return fmt::format("{}{}", word, human_duration(*known->second.took_s));
}

void ProgressLines::on_event(const schedule::Event& event) {
  if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event)) {
    Stage& stage = stages_[ended->attempt.stage];
    if (!ended->ok) stage.message = ended->message;
    if (stage.had_process) stage.took_s = ended->process.wall_s;
  }
  if (const auto* spawned = std::get_if<schedule::AttemptSpawned>(&event))
    stages_[spawned->attempt.stage].had_process = true;
  if (const auto* intended = std::get_if<schedule::AttemptIntended>(&event))
    stages_[intended->attempt.stage].token = intended->process;
  if (const auto* adopted = std::get_if<schedule::AttemptAdopted>(&event)) {
    stages_[adopted->attempt.stage].had_process = true;
    stages_[adopted->attempt.stage].token = adopted->token;
  }
  if (const auto* ready = std::get_if<schedule::ServiceReady>(&event))
    stages_[ready->attempt.stage].took_s = ready->start_s;
  const auto* moved = std::get_if<schedule::StageMoved>(&event);
  if (!moved) return;
  switch (moved->to) {
    case State::reused:
      if (!made_.contains(moved->stage)) ++reused_[moved->why];
      return;
    case State::skipped: return add_to_group("skipped", moved->why);
    case State::cancelled: return add_to_group("stopped", moved->why);
    case State::failed: {
      const std::string& message = stages_[moved->stage].message;
      const auto tail = message.find('\n');
      const std::string words = tail == std::string::npos ? "" : message.substr(tail);
      // Every point of a sweep may fail for the same reason, so equal ends of logs are printed
      // once.
      const bool is_new = words.empty() || tails_.insert(words).second;
      return line("FAILED", moved->stage,
                  moved->why + (is_new ? words : "; with the same last lines as above"));
    }
    case State::waiting: return line("retry", moved->stage, moved->why);
    case State::starting:
    case State::running:
      if (moved->from == State::starting)
        return line("ready", moved->stage, took(moved->stage, "after "));
      return line(moved->from == State::intent ? "started" : "adopted", moved->stage, moved->why);
    case State::ready:
      if (!moved->why.empty()) line("again", moved->stage, moved->why);
      return;
    case State::done: return line("done", moved->stage, took(moved->stage, ""));
    default: return;
  }
}

void ProgressLines::on_tick(const schedule::Progress& progress) {
  flush_group();
  flush_reused();
  if (!screen_.terminal || progress.total == 0) return;
  status_ = printable(status_line(progress, labels_, screen_.columns - 1, statuses(progress)));
  draw(screen_.stream, k_erase + status_);
}

std::map<plan::StageId, std::string> ProgressLines::statuses(
    const schedule::Progress& progress) const {
  std::map<plan::StageId, std::string> statuses;
  for (const auto& one : progress.running)
    if (std::string status = file_status(one); !status.empty() || !one.where.empty())
      statuses[one.stage] = status.empty() ? printable(one.where) : std::move(status);
  if (!status_of_) return statuses;
  for (const auto& one : progress.running) {
    const auto known = stages_.find(one.stage);
    if (one.state != State::running || known == stages_.end()) continue;
    if (std::string status = status_of_(known->second.token); !status.empty())
      statuses[one.stage] = printable(std::move(status));
  }
  return statuses;
}

namespace {

// One stage of the status line: "bench q8_0 4.1 s (120 requests, 30 req/s)".
struct Part {
  std::string label, time, status;

  std::string text(std::size_t most_of_label = std::string::npos) const {
    std::string name = label;
    if (name.size() > most_of_label) name = name.substr(0, most_of_label - 1) + "~";
    return fmt::format("{}{}{}", name, time, status);
  }
};

std::vector<Part> parts_of(const schedule::Progress& progress, const StageLabels& labels,
                           const std::map<plan::StageId, std::string>& statuses) {
  std::vector<Part> parts;
  for (const auto& one : progress.running) {
    const auto status = statuses.find(one.stage);
    const bool has_status = status != statuses.end();
    const std::string state =
        one.state == State::running ? "" : fmt::format(" {}", to_string(one.state));
    parts.push_back({.label = labels.of(one.stage),
                     .time = fmt::format("{} {}", state, human_duration(one.for_s)),
                     .status = has_status ? fmt::format(" ({})", status->second) : ""});
  }
  return parts;
}

std::string joined(const std::vector<Part>& parts, std::size_t most_of_label = std::string::npos) {
  std::vector<std::string> texts;
  for (const Part& part : parts) texts.push_back(part.text(most_of_label));
  return texts.empty() ? "" : "  " + join(texts, ", ");
}

// PARTS in at most COLUMNS characters if possible: measurements, which report rates, come first,
// and names are shortened.
std::string shortened(std::vector<Part> parts, std::size_t columns) {
  static constexpr std::size_t k_least_label = 6;
  const auto measures = [](const Part& part) { return !part.status.empty(); };
  std::stable_partition(parts.begin(), parts.end(), measures);
  std::string text = joined(parts);
  for (std::size_t most = 40; text.size() > columns && most >= k_least_label; --most)
    text = joined(parts, most);
  // Shortens "120 of 500 requests" to "120/500".
  if (text.size() > columns)
    for (Part& part : parts) {
      for (const auto& [words, sign] : {std::pair(" of ", "/"), std::pair(" requests", "")})
        if (const auto at = part.status.find(words); at != std::string::npos)
          part.status.replace(at, std::string_view(words).size(), sign);
      text = joined(parts, k_least_label);
    }
  std::size_t more = 0;
  while (text.size() > columns && parts.size() > 1) {
    parts.pop_back();
    text = fmt::format("{}, +{}", joined(parts, k_least_label), ++more);
  }
  if (text.size() <= columns || parts.empty()) return text;
  parts.front().time.clear();
  return joined(parts, k_least_label);
}

}  // namespace

std::string status_line(const schedule::Progress& progress, const StageLabels& labels,
                        std::size_t columns, const std::map<plan::StageId, std::string>& statuses) {
  const std::size_t filled = progress.total ? k_bar * progress.finished / progress.total : 0;
  const std::string bar = std::string(filled, '#') + std::string(k_bar - filled, '-') + " ";
  std::string text = fmt::format("{}/{}", progress.finished, progress.total);
  if (progress.failed) text += fmt::format("  {} failed", progress.failed);
  if (progress.left_out) text += fmt::format("  {} not run", progress.left_out);
  if (progress.left_s >= 0) text += fmt::format("  about {} left", human_duration(progress.left_s));
  const std::vector<Part> parts = parts_of(progress, labels, statuses);
  const std::string whole = bar + text + joined(parts);
  if (whole.size() <= columns) return whole;
  // If the terminal is too narrow, leaves out the bar rather than numbers.
  if (bar.size() + text.size() > columns || !parts.empty())
    text += shortened(parts, columns - std::min(columns, text.size()));
  else text = bar + text;
  return text.substr(0, columns);
}

void HashingLine::show(std::uint64_t done_bytes, std::uint64_t expected_bytes) {
  if (!screen_.terminal || expected_bytes == 0) return;
  const std::string text =
      fmt::format("{}: {} of {}", what_, human_bytes(done_bytes), human_bytes(expected_bytes));
  draw(screen_.stream, "\r\x1b[K" + printable(text.substr(0, screen_.columns - 1)));
  drawn_ = true;
}

void HashingLine::erase() {
  if (std::exchange(drawn_, false)) draw(screen_.stream, "\r\x1b[K");
}

system::WatchedHashing HashingLine::shown(system::Workers& workers) {
  return {.workers = workers,
          .go_on =
              [this](const system::LongWork& work) {
                show(work.done_bytes(), work.expected_bytes());
                return true;
              },
          .over = [this] { erase(); }};
}

Screen screen_of(std::FILE* stream) {
  const bool terminal = ::isatty(::fileno(stream)) == 1;
  const char* no_colour = std::getenv("NO_COLOR");  // no-color.org: any non-empty text
  const char* kind = std::getenv("TERM");
  const bool dumb = kind && std::string_view(kind) == "dumb";
  return {.stream = stream,
          .terminal = terminal,
          .coloured = terminal && !dumb && !(no_colour && *no_colour),
          .columns = terminal_columns()};
}

Console::Console(system::Files& files, attempt::Layout layout)
    : files_(files), layout_(std::move(layout)), hashing_("hashing inputs", screen_of(stderr)) {}

void Console::hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) {
  hashing_.show(done_bytes, expected_bytes);
}

void Console::hashed() { hashing_.erase(); }

void Console::report(session::Severity severity, const std::string& text) {
  say(stderr, "{}{}\n", prefix_of(severity), text);
}

std::unique_ptr<schedule::Observer> Console::watch(const session::Round& round) {
  auto lines = std::make_unique<ProgressLines>(
      StageLabels(round.plan, matrix::varied_parameters(round.matrix)), screen_of(stderr));
  lines->leave_out(round.done);
  lines->show_measurements([this](const std::string& process) {
    static constexpr std::size_t k_bytes = 200;
    std::string text = files_.read_own(layout_.progress(process), k_bytes).value_or("");
    return text.substr(0, text.find('\n'));
  });
  return lines;
}

}  // namespace orch::cli
