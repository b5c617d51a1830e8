#include "cli/progress.hpp"

#include "base/text.hpp"
#include "cli/say.hpp"

namespace orch::cli {

using schedule::State;

namespace {

// Those of NAMES that differ among the plan's points.
std::set<std::string> varying_parameters(const plan::Plan& plan,
                                         const std::set<std::string>& names) {
  std::map<std::string, std::set<std::string>> values;
  for (const plan::PlannedPoint& point : plan.points)
    for (const std::string& name : names)
      if (const matrix::Value* value = point.point.parameters.find(name))
        values[name].insert(value->text);
  std::set<std::string> varying;
  for (const auto& [name, seen] : values)
    if (seen.size() > 1) varying.insert(name);
  return varying;
}

// The name of STAGE, with those parameters of VARYING that have one value in all of its points.
std::string label_of(const plan::Plan& plan, const plan::Stage& stage,
                     const std::set<std::string>& varying) {
  std::vector<std::string> words;
  for (const std::string& name : varying) {
    std::set<std::string> seen;
    for (const std::size_t point : stage.points) {
      const matrix::Value* value = plan.points[point].point.parameters.find(name);
      seen.insert(value ? value->text : "");
      if (seen.size() > 1) break;
    }
    if (seen.size() == 1) words.push_back(name + "=" + *seen.begin());
  }
  if (stage.repeat > 0) words.push_back(fmt::format("repeat {}", stage.repeat));
  return words.empty() ? stage.id : fmt::format("{} ({})", stage.id, join(words, " "));
}

}  // namespace

ProgressLines::ProgressLines(const plan::Plan& plan, const std::set<std::string>& names,
                             std::FILE* stream, bool terminal, std::size_t columns)
    : stream_(stream), terminal_(terminal), columns_(columns) {
  const std::set<std::string> varying = varying_parameters(plan, names);
  for (const plan::Stage& stage : plan.stages) labels_[stage.id] = label_of(plan, stage, varying);
}

ProgressLines::~ProgressLines() {
  flush_group();
  erase_status();
}

// Stages that end by the same failure or interrupt share a line.
void ProgressLines::add_to_group(const std::string& word, const std::string& why) {
  if (why != group_why_ || word != group_word_) flush_group();
  group_word_ = word;
  group_why_ = why;
  ++group_size_;
}

void ProgressLines::flush_group() {
  if (!group_size_) return;
  erase_status();
  say(stream_, "{:<8} {} stage{}: {}\n", group_word_, group_size_, group_size_ == 1 ? "" : "s",
      group_why_);
  group_size_ = 0;
}

void ProgressLines::erase_status() {
  if (std::exchange(drawn_, false)) say(stream_, "\r\x1b[K");
}

void ProgressLines::line(std::string_view word, const plan::StageId& stage,
                         const std::string& text) {
  flush_group();
  erase_status();
  say(stream_, "{:<8} {}{}{}\n", word, labels_[stage], text.empty() ? "" : ": ", text);
}

// WORD and the recorded duration; "" for a stage without a process.
std::string ProgressLines::took(const plan::StageId& stage, std::string_view word) const {
  const auto took = took_s_.find(stage);
  return took == took_s_.end() ? "" : fmt::format("{}{}", word, human_duration(took->second));
}

void ProgressLines::on_event(const schedule::Event& event) {
  if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event)) {
    if (!ended->ok) messages_[ended->attempt.stage] = ended->message;
    if (processes_.contains(ended->attempt.stage)) took_s_[ended->attempt.stage] = ended->wall_s;
  }
  if (const auto* spawned = std::get_if<schedule::AttemptSpawned>(&event))
    processes_.insert(spawned->attempt.stage);
  if (const auto* adopted = std::get_if<schedule::AttemptAdopted>(&event))
    processes_.insert(adopted->attempt.stage);
  if (const auto* ready = std::get_if<schedule::ServiceReady>(&event))
    took_s_[ready->attempt.stage] = ready->start_s;
  const auto* moved = std::get_if<schedule::StageMoved>(&event);
  if (!moved) return;
  switch (moved->to) {
    case State::reused:
      if (made_.contains(moved->stage)) return;
      return line("reused", moved->stage, moved->why);
    case State::skipped: return add_to_group("skipped", moved->why);
    case State::cancelled: return add_to_group("stopped", moved->why);
    case State::failed: {
      const auto message = messages_.find(moved->stage);
      const auto tail = message == messages_.end() ? std::string::npos : message->second.find('\n');
      return line(
          "FAILED", moved->stage,
          printable(moved->why + (tail == std::string::npos ? "" : message->second.substr(tail))));
    }
    case State::waiting: return line("retry", moved->stage, printable(moved->why));
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
  if (!terminal_ || progress.total == 0) return;
  say(stream_, "\r\x1b[K{}", status_line(progress, columns_ - 1));
  drawn_ = true;
}

std::string status_line(const schedule::Progress& progress, std::size_t columns) {
  std::vector<std::string> running;
  for (const auto& one : progress.running)
    running.push_back(fmt::format(
        "{}{} {}", one.stage,
        one.state == State::running ? "" : fmt::format(" {}", schedule::to_string(one.state)),
        human_duration(one.for_s)));
  std::string text =
      fmt::format("[{}/{}] {}", progress.finished, progress.total, join(running, ", "));
  if (progress.failed) text += fmt::format(" - {} failed", progress.failed);
  if (progress.left_s >= 0)
    text += fmt::format(" - about {} left", human_duration(progress.left_s));
  return text.substr(0, columns);
}

}  // namespace orch::cli
