#include "run/schedule/traced_journal.hpp"

#include <algorithm>
#include <utility>

namespace orch::schedule {

namespace {

// Viewers show the thread whose id is that of its process as the main one, and treat 0 specially.
constexpr std::int64_t k_process = 1;  // the trace has only one process
constexpr int k_journal_lane = 1, k_first_lane = 2;

}  // namespace

TracedJournal::TracedJournal(Journal& journal, system::Clock& clock, std::ostream& out)
    : PassingJournal(journal), clock_(clock), out_(out), began_(clock.wall_s()) {
  out_ << "[";
  name_lane(k_journal_lane, "commits");
}

TracedJournal::~TracedJournal() {
  const WallTime now = clock_.wall_s();
  while (!open_.empty()) end(AttemptKey(open_.begin()->first), now, {{"open", true}});
  out_ << "\n]\n" << std::flush;
}

void TracedJournal::append(const Event& event) {
  PassingJournal::append(event);
  if (const auto* spawned = std::get_if<AttemptSpawned>(&event))
    begin(spawned->attempt, spawned->at);
  else if (const auto* adopted = std::get_if<AttemptAdopted>(&event))
    begin(adopted->attempt, adopted->at);
  else if (const auto* ready = std::get_if<ServiceReady>(&event))
    open_[ready->attempt].ready = ready->at;
  else if (const auto* ended = std::get_if<AttemptEnded>(&event))
    end(ended->attempt, ended->at,
        {{"attempt", std::int64_t{ended->attempt.number}},
         {"result", ended->ok ? "ok" : ended->failure_class},
         {"cpu_s", ended->process.cpu_s}});
  else if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed)
    write({{"ph", "i"},
           {"name", moved->stage + " failed"},
           {"s", "p"},
           {"tid", std::int64_t{k_journal_lane}},
           {"ts", microseconds(moved->at)},
           {"args", Object{{"why", moved->why}}}});
}

Status TracedJournal::commit() {
  const WallTime from = clock_.wall_s();
  const double from_s = clock_.now_s();
  Status committed = PassingJournal::commit();
  write_span("commit", k_journal_lane, from, from + clock_.now_s() - from_s);
  out_ << std::flush;
  return committed;
}

void TracedJournal::begin(const AttemptKey& attempt, WallTime at) {
  const auto free = std::ranges::find(lanes_, false);
  const int lane = static_cast<int>(free - lanes_.begin()) + k_first_lane;
  if (free == lanes_.end()) {
    lanes_.push_back(true);
    name_lane(lane, fmt::format("processes {}", lanes_.size()));
  } else {
    *free = true;
  }
  open_[attempt] = {.since = at, .lane = lane};
  count_running(at);
}

void TracedJournal::end(const AttemptKey& attempt, WallTime at, Object args) {
  const auto found = open_.find(attempt);
  if (found == open_.end()) return;  // the attempt never started
  const Open open = found->second;
  open_.erase(found);
  if (open.lane > 0) lanes_[static_cast<std::size_t>(open.lane - k_first_lane)] = false;
  write_span(attempt.stage, open.lane, open.since, at, std::move(args));
  if (open.ready > 0) {
    write_span("start", open.lane, open.since, open.ready);
    write_span("ready", open.lane, open.ready, at);
  }
  count_running(at);
}

void TracedJournal::count_running(WallTime at) {
  write({{"ph", "C"},
         {"name", "processes"},
         {"ts", microseconds(at)},
         {"args", Object{{"running", static_cast<std::int64_t>(open_.size())}}}});
}

void TracedJournal::name_lane(int lane, const std::string& name) {
  write({{"ph", "M"},
         {"name", "thread_name"},
         {"tid", std::int64_t{lane}},
         {"args", Object{{"name", name}}}});
}

void TracedJournal::write_span(const std::string& name, int lane, WallTime from, WallTime to,
                               Object args) {
  write({{"ph", "X"},
         {"name", name},
         {"tid", std::int64_t{lane}},
         {"ts", microseconds(from)},
         {"dur", std::max(0.0, to - from) * 1e6},
         {"args", std::move(args)}});
}

void TracedJournal::write(Object line) {
  line.emplace_back("pid", k_process);
  out_ << std::exchange(separator_, ",\n") << json_text(line);
}

}  // namespace orch::schedule
