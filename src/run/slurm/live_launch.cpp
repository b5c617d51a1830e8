#include "run/slurm/live_launch.hpp"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <type_traits>
#include <utility>

namespace orch::slurm {

namespace {

template <class To> Phase enter(const Phase&, double now_s) {
  if constexpr (std::is_base_of_v<Doubt, To>) return To{{.since_s = now_s}};
  else return To{};
}

Phase stay(const Phase& from, double) { return from; }

Phase forget(const Phase& from, double) { return Forgotten{std::get<Over>(from)}; }

Phase remember(const Phase& from, double) { return Over{std::get<Forgotten>(from)}; }

Phase desert(const Phase& from, double now_s) {
  return Deserted{{.since_s = now_s}, std::get<Beside>(from).server};
}

Phase rejoin(const Phase& from, double) { return Beside{std::get<Deserted>(from).server}; }

struct PhaseMove {
  std::size_t from;
  JobNews news;
  Phase (*to)(const Phase& from, double now_s);
};

template <class T, class... All>
constexpr std::size_t index_in(std::type_identity<std::variant<All...>>) {
  constexpr bool k_is_it[] = {std::is_same_v<T, All>...};
  return static_cast<std::size_t>(std::ranges::find(k_is_it, true) - std::begin(k_is_it));
}
template <class T> constexpr std::size_t k_index = index_in<T>(std::type_identity<Phase>());

constexpr PhaseMove k_phase_moves[] = {
    {k_index<Queued>, JobNews::submitted, enter<Submitted>},
    {k_index<Submitted>, JobNews::lives, enter<Listed>},
    {k_index<Submitted>, JobNews::over, enter<Over>},
    {k_index<Submitted>, JobNews::missing, enter<Missing>},
    {k_index<Listed>, JobNews::lives, stay},
    {k_index<Listed>, JobNews::over, enter<Over>},
    {k_index<Listed>, JobNews::missing, enter<Missing>},
    {k_index<Missing>, JobNews::lives, enter<Listed>},
    {k_index<Missing>, JobNews::over, enter<Over>},
    {k_index<Missing>, JobNews::missing, stay},
    {k_index<Missing>, JobNews::requeued_here, enter<Queued>},
    {k_index<Over>, JobNews::lives, enter<Listed>},
    {k_index<Over>, JobNews::over, stay},
    {k_index<Over>, JobNews::missing, forget},
    {k_index<Forgotten>, JobNews::lives, enter<Listed>},
    {k_index<Forgotten>, JobNews::over, remember},
    {k_index<Forgotten>, JobNews::missing, stay},
    {k_index<Beside>, JobNews::lives, stay},
    {k_index<Beside>, JobNews::over, desert},
    {k_index<Deserted>, JobNews::lives, rejoin},  // the run has also taken over its server
    {k_index<Deserted>, JobNews::over, stay},
};

}  // namespace

std::optional<Phase> phase_after(const Phase& phase, JobNews news, double now_s) {
  const auto* move = std::ranges::find_if(k_phase_moves, [&](const PhaseMove& one) {
    return one.from == phase.index() && one.news == news;
  });
  return move == std::end(k_phase_moves) ? std::nullopt : std::optional(move->to(phase, now_s));
}

double Pulse::silent_s(std::string seen, double now_s) {
  if (seen != text_ || !changed_s_) {
    text_ = std::move(seen);
    changed_s_ = now_s;
  }
  return now_s - *changed_s_;
}

void Pulse::forgive(double now_s) {
  if (changed_s_) changed_s_ = now_s;
}

void LiveLaunch::hear(JobNews news, double now_s) {
  auto next = phase_after(phase, news, now_s);
  assert(next);
  phase = *std::move(next);
}

void LiveLaunch::see(const JobState& job, bool is_second, double now_s) {
  hear(job.is_over() || is_second ? JobNews::over : JobNews::lives, now_s);
  shown = {.id = job.id, .state = job.state, .reason = job.reason, .node = job.nodes};
  said_s = now_s;
  if (is_suspended()) pulse.forgive(now_s);
  was_requeued = was_requeued || is_second;
}

const std::string* LiveLaunch::server() const {
  if (const auto* beside = std::get_if<Beside>(&phase)) return &beside->server;
  const auto* deserted = std::get_if<Deserted>(&phase);
  return deserted ? &deserted->server : nullptr;
}

const std::string& LiveLaunch::job_of(const std::string& token) const {
  const std::string* of_server = server();
  return of_server ? *of_server : token;
}

Doubt* LiveLaunch::doubt() {
  return std::visit(
      [](auto& now) -> Doubt* {
        if constexpr (std::is_base_of_v<Doubt, std::remove_reference_t<decltype(now)>>) return &now;
        else return nullptr;
      },
      phase);
}

bool LiveLaunch::is_unknown_to_controller() const {
  return std::holds_alternative<Missing>(phase) || std::holds_alternative<Forgotten>(phase);
}

void LiveLaunch::tell(int signal, double hangs_at_s) {
  if (auto* killed = std::get_if<Killed>(&stop))
    killed->hangs_at_s = std::min(killed->hangs_at_s, hangs_at_s);
  else if (signal == SIGKILL) stop = Killed{hangs_at_s};
  else stop = Terminated{};
}

int LiveLaunch::told() const {
  constexpr int k_signals[] = {0, SIGTERM, SIGKILL};
  static_assert(std::size(k_signals) == std::variant_size_v<Stop>);
  return k_signals[stop.index()];
}

execute::Ended LiveLaunch::lost(const std::string& token) const {
  execute::Ended ended{.token = token, .code = -1, .signal = told()};
  ended.guardian_lost = ended.signal == 0;
  // A job that succeeds without a record is a second start, which finds the launch claimed.
  const bool is_second = shown.state == "COMPLETED" || (was_requeued && !says_why(shown.state));
  if (ended.signal == 0)
    ended.job_state = is_dead ? "NODE_FAIL" : is_second ? "PREEMPTED" : shown.state;
  return ended;
}

void explain_stop(execute::Ended& ended, const std::string& state, bool is_second) {
  if (says_why(state)) ended.job_state = state;
  // The controller ended the job's first start in order to start it again: it requeued the job.
  else if (state == "PENDING" || (is_second && ended.job_state.empty()))
    ended.job_state = "PREEMPTED";
}

}  // namespace orch::slurm
