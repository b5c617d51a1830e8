#include "bench/load/load_loop.hpp"

#include <cerrno>

#include <sys/epoll.h>
#include <sys/prctl.h>

namespace orch::load {
namespace {

constexpr std::uint32_t k_probe_tag = 0xFFFFFFFF;
constexpr std::uint32_t k_due_tag = 0xFFFFFFFE;
constexpr std::int64_t k_probe_period_ns = 1'000'000;
constexpr int k_batch = 256;
constexpr int k_small_batch = 8;

wire::TransportOptions transport_options(const LoadLoop::Options& options, int epoll) {
  return {.epoll_fd = epoll,
          .endpoints = options.endpoints,
          .format = options.reading.protocol->traits().wire,
          .access = options.access};
}

}  // namespace

LoadLoop::LoadLoop(Options options)
    : options_(std::move(options)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      slots_(transport_options(options_, epoll_.get()), *this),
      supervisor_(turns_, options_.access),
      deadlines_(options_.deadlines, slots_, turns_),
      receiver_(options_.reading, options_.access, options_.answers, slots_, supervisor_) {}

Status LoadLoop::open(wire::SlotId slots) {
  if (!epoll_) return io_error("create", "an epoll descriptor", errno);
  if (!probe_) {
    ORCH_ASSIGN(probe_, EpollTimer::make(epoll_.get(), k_probe_tag));
    ORCH_ASSIGN(due_, EpollTimer::make(epoll_.get(), k_due_tag));
  }
  return slots_.open(slots, options_.connect_timeout_ms);
}

Status LoadLoop::arm_probe() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  next_probe_ns_ = wire::monotonic_ns() + k_probe_period_ns;
  return probe_->arm(next_probe_ns_, k_probe_period_ns);
}

void LoadLoop::begin(const SendPlan& plan) {
  turns_.begin(plan);
  supervisor_.begin(slots_.servers(), slots_.size());
  receiver_.begin(plan.tally);
  phase_ = {};
}

Result<LoadLoop::Phase> LoadLoop::run(const SendPlan& plan) {
  begin(plan);
  ORCH_TRY(arm_probe());
  const wire::Transport::Counters before = slots_.transport().counters();
  drain_idle_connections();
  phase_.start_ns = wire::monotonic_ns();
  turns_.start_at(phase_.start_ns);
  const std::int64_t cpu_ns = wire::thread_cpu_ns();

  send_first();
  take_ended();
  while (slots_.active() > 0 || (turns_.has_schedule() && turns_.has_more())) {
    serve_events();
    if (is_interrupted() && (slots_.active() > 0 || turns_.has_more())) interrupt();
  }
  drain_idle_connections();
  return conclude(cpu_ns, before);
}

// Handles events of connections without a request, such as a close between phases.
void LoadLoop::drain_idle_connections() {
  epoll_event events[k_batch];
  for (std::size_t turns = slots_.size() / k_batch + 1; turns > 0; --turns) {
    const int ready = ::epoll_wait(epoll_.get(), events, k_batch, 0);
    for (int i = 0; i < ready; ++i)
      if (events[i].data.u32 != k_probe_tag && events[i].data.u32 != k_due_tag)
        slots_.transport().ready(events[i].data.u32, events[i].events);
  }
}

Result<LoadLoop::Phase> LoadLoop::conclude(std::int64_t cpu_before_ns,
                                           const wire::Transport::Counters& before) {
  receiver_.read_all();
  phase_.wall_ns = wire::monotonic_ns() - phase_.start_ns;
  measure::ClientHealth& client = phase_.client;
  client.cpu_share = static_cast<double>(wire::thread_cpu_ns() - cpu_before_ns) /
                     static_cast<double>(std::max<std::int64_t>(phase_.wall_ns, 1));
  const wire::Transport::Counters now = slots_.transport().counters();
  client.reads = now.reads - before.reads;
  client.connections_opened = now.connections_opened;
  client.resent = now.resent - before.resent;
  client.out_of_step = now.out_of_step - before.out_of_step;
  ORCH_TRY(probe_->arm(0));
  ORCH_TRY(due_->arm(0));
  phase_.unsent = turns_.untaken(k_most_unsent, phase_.unsent_due_ns);
  phase_.give_up_reason = supervisor_.give_up_reason();
  deadlines_.clear();
  phase_.records = receiver_.take_records();
  for (const measure::RequestRecord& record : phase_.records) {
    client.send_lag.add(record.sent_ns - record.due_ns.value_or(record.sent_ns));
    client.events += static_cast<std::int64_t>(record.event_ns.size());
    client.coalesced += record.coalesced;
  }
  return std::move(phase_);
}

void LoadLoop::serve_events() {
  epoll_event events[k_batch];
  receiver_.cancel_too_long();
  take_ended();
  const int most = receiver_.is_behind() ? k_small_batch : k_batch;
  const int ready = ::epoll_wait(epoll_.get(), events, most, receiver_.has_work() ? 0 : -1);
  if (ready == 0) return void(receiver_.read_one());
  if (ready < 0) return;  // a signal; run() checks `stopped` after this
  const std::int64_t begin_ns = wire::monotonic_ns();
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u32 == k_probe_tag) on_probe();
    else if (events[i].data.u32 == k_due_tag) {
      due_->expired();
      send_due();
    } else slots_.transport().ready(events[i].data.u32, events[i].events);
    take_ended();
  }
  receiver_.catch_up();
  phase_.client.worst_turn_ns =
      std::max(phase_.client.worst_turn_ns, wire::monotonic_ns() - begin_ns);
}

void LoadLoop::on_probe() {
  std::uint64_t expired = probe_->expired();
  const std::int64_t now_ns = wire::monotonic_ns();
  // Every missed deadline counts with its own lag, so a long pause weighs in proportion.
  for (; expired > 0; --expired) {
    phase_.client.wake_lag.add(now_ns - next_probe_ns_);
    next_probe_ns_ += k_probe_period_ns;
  }
  deadlines_.check(now_ns);
}

void LoadLoop::send_first() {
  if (turns_.has_schedule()) return send_due();
  for (std::size_t lane = 0; lane < turns_.limit(); ++lane)
    if (const auto turn = turns_.take_in_lane(phase_.start_ns)) start(*slots_.take_free(), *turn);
}

// Sends all due requests and arms the timer for the next. A due request without a free slot is sent
// as soon as there is one.
void LoadLoop::send_due() {
  while (turns_.has_more()) {
    const std::int64_t due_ns = turns_.next_due_ns();
    if (due_ns > wire::monotonic_ns()) {
      if (!due_->arm(due_ns).ok()) supervisor_.give_up("the timer of the schedule failed");
      return;
    }
    if (!turns_.has_room(slots_.active())) return;
    slots_.keep_spare(turns_.limit());
    const std::optional<wire::SlotId> slot = slots_.take_free();
    if (!slot) return;
    start(*slot, turns_.take_due());
  }
}

void LoadLoop::start(wire::SlotId slot, Turn turn) {
  receiver_.note_start();
  deadlines_.note_start(slot, turn);
  if (Tally* tally = turns_.plan().tally) Tally::add(tally->sent);
  std::optional<std::uint64_t> id;
  if (options_.deadlines.ask_to_stop) id = turns_.id_of(turn);
  slots_.start(slot, turn, turns_.request_of(turn), id);
}

void LoadLoop::take_ended() {
  while (!ended_.empty()) {
    const wire::SlotId slot = ended_.back();
    ended_.pop_back();
    InFlight& flight = slots_.end(slot);
    if (Tally* tally = turns_.plan().tally) Tally::add(tally->ended);
    supervisor_.note_end(*flight.exchange, slots_.server_of(slot), slots_.of_one_server());
    const std::int64_t end_ns = flight.exchange->end_ns;
    receiver_.add(std::move(flight));
    // A lane continues with the same server on the same connection.
    if (const auto next = turns_.take_in_lane(end_ns)) start(slot, *next);
    else slots_.give_back(slot, turns_.has_schedule() && turns_.has_more());
    if (turns_.has_schedule()) send_due();
  }
}

void LoadLoop::interrupt() {
  phase_.interrupted = true;
  turns_.close();
  std::set<std::size_t> cut_off;
  for (wire::SlotId slot = 0; slot < slots_.size(); ++slot) {
    const InFlight& flight = slots_[slot];
    if (flight.exchange == nullptr) continue;
    cut_off.insert(flight.turn.index);
    phase_.cut_off_due_ns.push_back(turns_.since_start_ns(flight.turn));
    slots_.transport().cancel(slot, "interrupted");
  }
  take_ended();
  receiver_.read_all();
  receiver_.drop(cut_off);
  std::ranges::sort(phase_.cut_off_due_ns);
}

}  // namespace orch::load
