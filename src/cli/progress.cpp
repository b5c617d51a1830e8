#include "cli/progress.hpp"

#include "base/text.hpp"
#include "cli/say.hpp"

namespace orch::cli {

using schedule::State;

ProgressLines::ProgressLines(const plan::Plan& plan, std::FILE* stream, bool terminal, std::size_t columns)
    : stream_(stream), terminal_(terminal), columns_(columns) {
  for (const plan::Stage& stage : plan.stages) {
    std::vector<std::string> values;
    for (const auto& [name, value] : stage.parameters) values.push_back(name + "=" + value.text);
    labels_[stage.id] = values.empty() ? stage.id : fmt::format("{} ({})", stage.id, join(values, " "));
  }
}

ProgressLines::~ProgressLines() {
  flush_skipped();
  erase_status();
}

// One failure can take many stages with it: they share a line.
void ProgressLines::skipped(const std::string& why) {
  if (why != skipped_why_) flush_skipped();
  skipped_why_ = why;
  ++skipped_;
}

void ProgressLines::flush_skipped() {
  if (!skipped_) return;
  erase_status();
  say(stream_, "{:<8} {} stages: {}\n", "skipped", std::exchange(skipped_, 0), skipped_why_);
}

void ProgressLines::erase_status() {
  if (std::exchange(drawn_, false)) say(stream_, "\r\x1b[K");
}

void ProgressLines::line(std::string_view word, const plan::StageId& stage, const std::string& text) {
  flush_skipped();
  erase_status();
  say(stream_, "{:<8} {}{}{}\n", word, labels_[stage], text.empty() ? "" : ": ", text);
}

void ProgressLines::on_event(const schedule::Event& event) {
  if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event); ended && !ended->ok) messages_[ended->attempt.stage] = ended->message;
  const auto* moved = std::get_if<schedule::StageMoved>(&event);
  if (!moved) return;
  switch (moved->to) {
    case State::reused: return line("reused", moved->stage, moved->why);
    case State::skipped: return skipped(moved->why);
    case State::cancelled: return line("stopped", moved->stage, moved->why);
    case State::failed: {
      const auto message = messages_.find(moved->stage);
      const auto tail = message == messages_.end() ? std::string::npos : message->second.find('\n');
      return line("FAILED", moved->stage, moved->why + (tail == std::string::npos ? "" : message->second.substr(tail)));
    }
    case State::starting:
    case State::running:
      if (moved->from == State::starting) return line("ready", moved->stage, "after " + human_duration(moved->at - started_[moved->stage]));
      started_[moved->stage] = moved->at;
      return line("started", moved->stage, "");
    case State::ready:
      if (!moved->why.empty()) line("again", moved->stage, moved->why);
      return;
    case State::done: {
      const auto started = started_.find(moved->stage);
      return line("done", moved->stage, started == started_.end() ? "" : human_duration(moved->at - started->second));
    }
    default: return;
  }
}

void ProgressLines::on_tick(const schedule::Progress& progress) {
  if (!terminal_ || progress.total == 0) return;
  say(stream_, "\r\x1b[K{}", status_line(progress, columns_ - 1));
  drawn_ = true;
}

std::string status_line(const schedule::Progress& progress, std::size_t columns) {
  std::vector<std::string> running;
  for (const auto& one : progress.running)
    running.push_back(fmt::format("{}{} {}", one.stage, one.state == State::running ? "" : fmt::format(" {}", schedule::to_string(one.state)), human_duration(one.for_s)));
  std::string text = fmt::format("[{}/{}] {}", progress.finished, progress.total, join(running, ", "));
  if (progress.failed) text += fmt::format(" - {} failed", progress.failed);
  if (progress.left_s >= 0) text += fmt::format(" - about {} left", human_duration(progress.left_s));
  return text.substr(0, columns);
}

}  // namespace orch::cli
