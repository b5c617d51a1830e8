#include "bench/load/load_loop.hpp"

#include <sys/epoll.h>
#include <sys/prctl.h>

#include <cerrno>
#include <set>

#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"

namespace orch::load {
namespace {

constexpr std::uint32_t k_probe_tag = 0xFFFFFFFF;
constexpr std::uint32_t k_due_tag = 0xFFFFFFFE;
constexpr std::int64_t k_probe_period_ns = 1'000'000;
constexpr std::int64_t k_overdue_check_ns = 50'000'000;
constexpr int k_batch = 256;
constexpr int k_small_batch = 8;
// Limits of the answers that wait to be parsed while sockets are busy. From half of a limit on,
// sockets are served in small batches, so that no turn has a long backlog.
constexpr std::size_t k_finished_limit_bytes = 4 * 1024 * 1024;
constexpr std::size_t k_finished_limit = 1024;
// Exchanges that may break in a row, beyond one per slot, before the loop gives up on the server.
constexpr int k_broken_margin = 3;
// Connections that an open loop keeps open beyond those in use.
constexpr std::size_t k_spare_connections = 8;
// Slots that are tried in search of an open connection.
constexpr std::size_t k_tries = 8;
constexpr wire::SlotId k_most_slots = 65'536;
// New records before the first call of should_stop.
constexpr std::size_t k_first_check = 50;

}  // namespace

struct LoadLoop::Slot {
  std::unique_ptr<wire::Exchange> exchange;  // null: no request in flight
  Reading reading;
  std::size_t request = 0;
  std::int64_t due_ns = 0;
  // The request with its own id. Too long for the small-string buffer, so its bytes do not move
  // when the slot moves.
  std::string with_id;
};

struct LoadLoop::Finished {
  std::unique_ptr<wire::Exchange> exchange;
  Reading reading;
  std::size_t request = 0;
};

LoadLoop::LoadLoop(Options options)
    : options_(std::move(options)),
      reader_(options_.reading),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      free_(options_.endpoints.size()) {
  wire::Transport::Listener& listener = *this;
  const protocol::WireFormat& format = options_.reading.protocol->traits().wire;
  transport_ = wire::make_transport({.epoll_fd = epoll_.get(),
                                     .endpoints = options_.endpoints,
                                     .grpc_method = format.grpc_method,
                                     .events = format.events,
                                     .access = options_.access},
                                    listener);
}

LoadLoop::~LoadLoop() = default;

Status LoadLoop::open(wire::SlotId slots) {
  if (!epoll_) return io_error("create", "an epoll descriptor", errno);
  if (!probe_) {
    ORCH_ASSIGN(probe_, EpollTimer::make(epoll_.get(), k_probe_tag));
    ORCH_ASSIGN(due_, EpollTimer::make(epoll_.get(), k_due_tag));
  }
  ORCH_TRY(transport_->open(slots, options_.connect_timeout_ms));
  grow(slots);
  return {};
}

void LoadLoop::grow(wire::SlotId slots) {
  if (slots <= slots_.size()) return;
  std::vector<std::deque<wire::SlotId>> fresh(free_.size());
  for (wire::SlotId slot = slots; slot-- > slots_.size();) fresh[server_of(slot)].push_back(slot);
  // New slots are used after the existing ones.
  for (std::size_t server = 0; server < free_.size(); ++server)
    free_[server].insert(free_[server].begin(), fresh[server].begin(), fresh[server].end());
  slots_.resize(slots);
}

Status LoadLoop::arm_probe() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  next_probe_ns_ = wire::monotonic_ns() + k_probe_period_ns;
  return probe_->arm(next_probe_ns_, k_probe_period_ns);
}

Result<LoadLoop::Phase> LoadLoop::run(const SendPlan& plan) {
  begin(plan);
  ORCH_TRY(arm_probe());
  const wire::Transport::Counters before = transport_->counters();
  drain_idle_connections();
  phase_.start_ns = wire::monotonic_ns();
  const std::int64_t cpu_ns = wire::thread_cpu_ns();

  if (plan_.due_ns) send_due();
  else
    for (std::int64_t i = 0; i < plan_.concurrency && may_send(); ++i)
      start_next(*free_slot(), phase_.start_ns);
  take_ended();
  while (active_ > 0 || (plan_.due_ns && may_send())) {
    turn();
    if (is_interrupted() && (active_ > 0 || may_send())) interrupt();
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
        transport_->ready(events[i].data.u32, events[i].events);
  }
}

void LoadLoop::begin(const SendPlan& plan) {
  plan_ = plan;
  if (plan_.max_requests == 0 && plan_.duration_ns == 0) plan_.max_requests = plan_.requests.size();
  if (plan_.due_ns)
    plan_.max_requests = plan_.max_requests == 0
                             ? plan_.due_ns->size()
                             : std::min(plan_.max_requests, plan_.due_ns->size());
  if (plan_.requests.empty()) {
    plan_.max_requests = 0;
    plan_.duration_ns = 0;
    plan_.due_ns.reset();
  }
  next_ = 0;
  // Ids of two phases never collide: a phase lasts more nanoseconds than it has requests.
  first_id_ = static_cast<std::uint64_t>(wire::wall_ns());
  should_stop_ = false;
  broken_in_a_row_.assign(options_.endpoints.size(), 0);
  refusals_.begin(slots_.size());
  phase_ = {};
}

void LoadLoop::note_unsent() {
  if (!plan_.due_ns) return;
  for (std::size_t i = next_; i < plan_.max_requests; ++i) {
    const std::int64_t due_ns = (*plan_.due_ns)[i];
    if (plan_.duration_ns > 0 && due_ns >= plan_.duration_ns) return;  // beyond the duration
    if (++phase_.unsent <= k_most_unsent) phase_.unsent_due_ns.push_back(due_ns);
  }
}

Result<LoadLoop::Phase> LoadLoop::conclude(std::int64_t cpu_before_ns,
                                           const wire::Transport::Counters& before) {
  while (read_one()) {
  }
  const std::int64_t wall_ns = wire::monotonic_ns() - phase_.start_ns;
  phase_.wall_ns = wall_ns;
  phase_.client.cpu_share = static_cast<double>(wire::thread_cpu_ns() - cpu_before_ns) /
                            static_cast<double>(std::max<std::int64_t>(wall_ns, 1));
  phase_.client.reads = transport_->counters().reads - before.reads;
  phase_.client.connections_opened = transport_->counters().connections_opened;
  phase_.client.resent = transport_->counters().resent - before.resent;
  phase_.client.out_of_step = transport_->counters().out_of_step - before.out_of_step;
  ORCH_TRY(probe_->arm(0));
  ORCH_TRY(due_->arm(0));
  note_unsent();
  stop_queue_.clear();
  bulky_.clear();
  too_long_.clear();
  newly_finished_.clear();
  phase_.records.assign(std::make_move_iterator(records_.begin()),
                        std::make_move_iterator(records_.end()));
  records_.clear();
  for (const measure::RequestRecord& record : phase_.records) {
    phase_.client.send_lag.add(record.sent_ns - record.due_ns.value_or(record.sent_ns));
    phase_.client.events += static_cast<std::int64_t>(record.event_ns.size());
    phase_.client.coalesced += record.coalesced;
  }
  return std::move(phase_);
}

void LoadLoop::turn() {
  epoll_event events[k_batch];
  cancel_too_long();
  const bool idle_work = !finished_.empty() || !bulky_.empty();
  const int ready =
      ::epoll_wait(epoll_.get(), events, is_behind() ? k_small_batch : k_batch, idle_work ? 0 : -1);
  if (ready == 0) return void(read_one());
  if (ready < 0) return;  // a signal; run() checks `stopped` after this turn
  const std::int64_t begin_ns = wire::monotonic_ns();
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u32 == k_probe_tag) on_probe();
    else if (events[i].data.u32 == k_due_tag) {
      due_->expired();
      send_due();
    } else transport_->ready(events[i].data.u32, events[i].events);
    take_ended();
  }
  if (is_behind()) read_one();
  // Hopeless loads end early: before the first success, no answer waits for an idle moment.
  while (refusals_.watching() && !finished_.empty()) read_one();
  while ((finished_bytes_ > k_finished_limit_bytes || finished_.size() > k_finished_limit) &&
         read_one()) {
  }
  phase_.client.worst_turn_ns =
      std::max(phase_.client.worst_turn_ns, wire::monotonic_ns() - begin_ns);
}

bool LoadLoop::is_behind() const {
  return finished_bytes_ > k_finished_limit_bytes / 2 || finished_.size() > k_finished_limit / 2;
}

void LoadLoop::on_probe() {
  std::uint64_t expired = probe_->expired();
  const std::int64_t now_ns = wire::monotonic_ns();
  // Every missed deadline counts with its own lag, so a long pause weighs in proportion.
  for (; expired > 0; --expired) {
    phase_.client.wake_lag.add(now_ns - next_probe_ns_);
    next_probe_ns_ += k_probe_period_ns;
  }
  if (now_ns >= next_overdue_check_ns_) cancel_overdue(now_ns);
  stop_due(now_ns);
}

void LoadLoop::cancel_overdue(std::int64_t now_ns) {
  next_overdue_check_ns_ = now_ns + k_overdue_check_ns;
  for (wire::SlotId slot = 0; slot < slots_.size(); ++slot) {
    const wire::Exchange* exchange = slots_[slot].exchange.get();
    if (exchange != nullptr && now_ns - exchange->sent_ns > options_.timeout_ns)
      transport_->cancel(slot, fmt::format("no complete answer within {:g} s",
                                           static_cast<double>(options_.timeout_ns) / 1e9));
  }
}

void LoadLoop::stop_due(std::int64_t now_ns) {
  while (!stop_queue_.empty() && stop_queue_.front().stop_ns <= now_ns) {
    Sent sent = stop_queue_.front();
    stop_queue_.pop_front();
    const Slot& slot = slots_[sent.slot];
    if (slot.exchange == nullptr || slot.request != sent.request) continue;
    // Opening the connection may have delayed the send.
    sent.stop_ns = slot.exchange->sent_ns + options_.stop_after_ns;
    if (sent.stop_ns <= now_ns) stop_one(sent.slot);
    else
      stop_queue_.insert(
          std::upper_bound(stop_queue_.begin(), stop_queue_.end(), sent,
                           [](const Sent& a, const Sent& b) { return a.stop_ns < b.stop_ns; }),
          sent);
  }
}

void LoadLoop::stop_one(wire::SlotId slot) {
  if (!options_.ask_to_stop) return transport_->stop(slot);
  slots_[slot].reading.asked_to_stop = true;
  options_.ask_to_stop(server_of(slot), first_id_ + slots_[slot].request);
}

bool LoadLoop::may_send() const {
  if (should_stop_ || phase_.interrupted || !phase_.give_up_reason.empty()) return false;
  if (plan_.max_requests > 0 && next_ >= plan_.max_requests) return false;
  if (plan_.max_requests == 0 && plan_.duration_ns == 0) return false;
  if (plan_.duration_ns == 0) return true;
  const std::int64_t at_ns = plan_.due_ns ? due_at(next_) : wire::monotonic_ns();
  return at_ns - phase_.start_ns < plan_.duration_ns;
}

// Takes servers in turn. Prefers the most recently used slot with an open connection; slots that
// are still connecting are used only when there is no other.
std::optional<wire::SlotId> LoadLoop::free_slot() {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    std::deque<wire::SlotId>& free = free_[turn_of_server_];
    turn_of_server_ = (turn_of_server_ + 1) % free_.size();
    if (free.empty()) continue;
    for (std::size_t tries = std::min(free.size(), k_tries);
         tries > 0 && !transport_->warm(free.back()); --tries) {
      free.push_front(free.back());
      free.pop_back();
    }
    const wire::SlotId slot = free.back();
    free.pop_back();
    return slot;
  }
  return {};
}

// Sends all due requests and arms the timer for the next. A due request without a free slot is sent
// as soon as a slot is free.
void LoadLoop::send_due() {
  while (may_send()) {
    const std::int64_t due_ns = due_at(next_);
    if (due_ns > wire::monotonic_ns()) {
      if (!due_->arm(due_ns).ok()) phase_.give_up_reason = "the timer of the schedule failed";
      return;
    }
    if (plan_.concurrency > 0 && active_ >= static_cast<std::size_t>(plan_.concurrency)) return;
    keep_spare_connections();
    const std::optional<wire::SlotId> slot = free_slot();
    if (!slot) return;
    start_next(*slot, due_ns);
  }
}

void LoadLoop::keep_spare_connections() {
  const std::size_t wanted = active_ + k_spare_connections;
  if (slots_.size() >= wanted || slots_.size() >= k_most_slots) return;
  const std::size_t limit =
      plan_.concurrency > 0 ? static_cast<std::size_t>(plan_.concurrency) : k_most_slots;
  const auto slots = static_cast<wire::SlotId>(std::min<std::size_t>(
      limit, slots_.size() + std::max<std::size_t>(k_spare_connections, slots_.size() / 4)));
  if (slots <= slots_.size()) return;
  transport_->grow(slots);
  grow(slots);
}

void LoadLoop::start_next(wire::SlotId slot_id, std::int64_t due_ns) {
  Slot& slot = slots_[slot_id];
  if (spare_.empty()) {
    slot.exchange = std::make_unique<wire::Exchange>();
  } else {
    slot.exchange = std::move(spare_.back());
    spare_.pop_back();
    slot.exchange->clear();
  }
  slot.request = next_++;
  slot.due_ns = due_ns;
  const PreparedRequest& request = plan_.requests[slot.request % plan_.requests.size()];
  slot.reading = {};
  measure::RequestRecord& record = slot.reading.record;
  record.index = static_cast<std::int64_t>(slot.request);
  record.server = static_cast<int>(server_of(slot_id));
  record.due_ns = due_ns;
  record.isl = request.isl;
  record.osl_requested = request.osl;
  records_.emplace_back();
  ++active_;
  if (plan_.tally != nullptr) Tally::add(plan_.tally->sent);
  if (options_.stop_after_ns > 0)
    stop_queue_.push_back({.stop_ns = wire::monotonic_ns() + options_.stop_after_ns,
                           .slot = slot_id,
                           .request = slot.request});
  transport_->start(slot_id, bytes_to_send(slot), *slot.exchange);
}

std::string_view LoadLoop::bytes_to_send(Slot& slot) const {
  const PreparedRequest& request = plan_.requests[slot.request % plan_.requests.size()];
  if (!options_.ask_to_stop) return request.bytes;
  slot.with_id = request.bytes;
  slot.with_id.replace(request.id_at, protocol::k_id_digits,
                       protocol::text_of_id(first_id_ + slot.request));
  return slot.with_id;
}

int LoadLoop::slots_of_one_server() const {
  const std::size_t servers = options_.endpoints.size();
  return static_cast<int>((slots_.size() + servers - 1) / servers);
}

void LoadLoop::interrupt() {
  phase_.interrupted = true;
  std::set<std::size_t> cut_off;
  for (wire::SlotId slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].exchange == nullptr) continue;
    cut_off.insert(slots_[slot].request);
    phase_.cut_off_due_ns.push_back(slots_[slot].due_ns - phase_.start_ns);
    transport_->cancel(slot, "interrupted");
  }
  take_ended();
  while (read_one()) {
  }
  std::deque<measure::RequestRecord> kept;
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (!cut_off.contains(i)) kept.push_back(std::move(records_[i]));
  records_ = std::move(kept);
  std::ranges::sort(phase_.cut_off_due_ns);
}

void LoadLoop::on_end(wire::SlotId slot) { ended_.push_back(slot); }

void LoadLoop::on_many(wire::SlotId slot) {
  if (slots_[slot].exchange->held_bytes() >= wire::Exchange::k_too_many_bytes) read_ahead(slot);
  else bulky_.push_back(slot);
}

void LoadLoop::read_ahead(wire::SlotId slot) {
  reader_.take(*slots_[slot].exchange, slots_[slot].reading);
  if (!slots_[slot].reading.too_long.empty()) too_long_.push_back(slot);
}

// Never called from inside the transport, which may be working on the same slot.
void LoadLoop::cancel_too_long() {
  if (too_long_.empty()) return;
  for (const wire::SlotId slot : std::exchange(too_long_, {}))
    if (slots_[slot].exchange != nullptr && !slots_[slot].reading.too_long.empty())
      transport_->cancel(slot, slots_[slot].reading.too_long);
  take_ended();
}

void LoadLoop::note_broken(const Slot& slot, std::size_t server) {
  int& broken = broken_in_a_row_[server];
  broken = slot.exchange->broken ? broken + 1 : 0;
  if (broken >= slots_of_one_server() + k_broken_margin && may_send())
    phase_.give_up_reason =
        fmt::format("gave up after {} requests in a row broke off, the last because {}", broken,
                    wire::blacked_out(options_.access, slot.exchange->error));
}

void LoadLoop::take_ended() {
  while (!ended_.empty()) {
    const wire::SlotId slot_id = ended_.back();
    ended_.pop_back();
    Slot& slot = slots_[slot_id];
    --active_;
    if (plan_.tally != nullptr) Tally::add(plan_.tally->ended);
    note_broken(slot, server_of(slot_id));
    const std::int64_t free_ns = slot.exchange->end_ns;
    finished_bytes_ += slot.exchange->held_bytes();
    finished_.push_back({.exchange = std::move(slot.exchange),
                         .reading = std::move(slot.reading),
                         .request = slot.request});
    // A closed loop sends the next request to the same server on the same connection.
    if (!plan_.due_ns && may_send()) start_next(slot_id, free_ns);
    else release(slot_id);
    if (plan_.due_ns) send_due();
  }
}

void LoadLoop::release(wire::SlotId slot) {
  std::deque<wire::SlotId>& free = free_[server_of(slot)];
  // Closed connections go to the front, so that an open loop can reopen them before they are
  // needed.
  if (plan_.due_ns && may_send() && !transport_->warm(slot)) free.push_front(slot);
  else free.push_back(slot);
}

void LoadLoop::count(const measure::RequestRecord& record) {
  if (!record.ok()) Tally::add(plan_.tally->failed);
  Tally::add(plan_.tally->tokens, record.osl_reported.value_or(record.osl_counted.value_or(0)));
}

// Parses one complete answer, or else part of a large one. False: there was no work.
bool LoadLoop::read_one() {
  if (finished_.empty()) {
    if (bulky_.empty()) return false;
    const wire::SlotId slot = bulky_.front();
    bulky_.pop_front();
    if (slots_[slot].exchange != nullptr) read_ahead(slot);
    return true;
  }
  Finished finished = std::move(finished_.front());
  finished_.pop_front();
  finished_bytes_ -= finished.exchange->held_bytes();
  reader_.finish(*finished.exchange, finished.reading);
  measure::RequestRecord& record = records_[finished.request];
  record = std::move(finished.reading.record);
  keep_answer(record);
  spare_.push_back(std::move(finished.exchange));
  if (plan_.tally != nullptr) count(record);
  note_refusals(record);
  if (plan_.should_stop) {
    newly_finished_.push_back(&record);
    check_should_stop();
  }
  return true;
}

void LoadLoop::keep_answer(measure::RequestRecord& record) {
  if (options_.answers && !record.values.empty())
    record.spooled_values =
        options_.answers->put({.text = std::exchange(record.values, {}), .text_ends = {}});
  if (record.answer.empty()) return;
  if (!options_.answers) return wire::black_out(options_.access, record.answer, record.text_ends);
  record.spooled = options_.answers->put(
      {.text = std::exchange(record.answer, {}), .text_ends = std::exchange(record.text_ends, {})});
}

void LoadLoop::note_refusals(const measure::RequestRecord& record) {
  if (!refusals_.watching()) return;
  if (record.ok()) return refusals_.end();
  refusals_.look(records_);
  if (!refusals_.reason().empty() && may_send()) phase_.give_up_reason = refusals_.reason();
}

// The interval between calls grows with the number of records: precision changes slowly.
void LoadLoop::check_should_stop() {
  if (should_stop_ || newly_finished_.size() < std::max(k_first_check, records_.size() / 8)) return;
  should_stop_ = plan_.should_stop(newly_finished_);
  newly_finished_.clear();
}

}  // namespace orch::load
