#include "load/load_loop.hpp"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

#include <cerrno>

#include "wire/clock.hpp"
#include "wire/http_transport.hpp"

namespace orch::load {
namespace {

constexpr std::uint32_t k_probe_tag = 0xFFFFFFFF;
constexpr std::int64_t k_probe_period_ns = 1'000'000;
constexpr std::int64_t k_overdue_check_ns = 50'000'000;
constexpr int k_batch = 256;
constexpr int k_connect_timeout_ms = 10'000;
// Answers wait to be read while sockets are busy, up to this much memory.
constexpr std::size_t k_finished_limit_bytes = 4 * 1024 * 1024;
// Exchanges that may break in a row, on top of one per slot, before the server counts as gone.
constexpr int k_broken_margin = 3;

std::string shorten(std::string_view text, std::size_t limit = 300) {
  return text.size() <= limit ? std::string(text) : fmt::format("{}...", text.substr(0, limit));
}

}  // namespace

struct LoadLoop::Slot {
  std::unique_ptr<wire::Exchange> exchange;  // null: nothing is under way
  std::size_t request = 0;
  std::int64_t due_ns = 0;
};

struct LoadLoop::Finished {
  std::unique_ptr<wire::Exchange> exchange;
  std::size_t request = 0;
  wire::SlotId slot = 0;
  std::int64_t due_ns = 0;
};

LoadLoop::LoadLoop(Options options) : options_(std::move(options)), epoll_(::epoll_create1(EPOLL_CLOEXEC)), slots_(options_.concurrency) {
  wire::Transport::Listener& listener = *this;
  transport_ = std::make_unique<wire::HttpTransport>(
      wire::HttpTransport::Options{.epoll_fd = epoll_.get(), .endpoints = options_.endpoints, .events = options_.stream}, listener);
}

LoadLoop::~LoadLoop() = default;

Status LoadLoop::open() {
  if (!epoll_) return io_error("create", "an epoll descriptor", errno);
  return transport_->open(options_.concurrency, k_connect_timeout_ms);
}

Status LoadLoop::start_probe() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  next_probe_ns_ = wire::monotonic_ns() + k_probe_period_ns;
  if (!probe_) {
    probe_ = system::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = k_probe_tag;
    if (!probe_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, probe_.get(), &event) != 0) return io_error("create", "a timer", errno);
  }
  itimerspec when{};
  when.it_value = {.tv_sec = next_probe_ns_ / 1'000'000'000, .tv_nsec = next_probe_ns_ % 1'000'000'000};
  when.it_interval = {.tv_sec = 0, .tv_nsec = k_probe_period_ns};
  if (::timerfd_settime(probe_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0) return io_error("start", "a timer", errno);
  return {};
}

Result<LoadLoop::Phase> LoadLoop::run(std::span<const PreparedRequest> requests) {
  requests_ = requests;
  next_ = 0;
  broken_in_a_row_.assign(options_.endpoints.size(), 0);
  phase_ = {};
  phase_.records.resize(requests.size());
  ORCH_TRY(start_probe());
  const wire::Transport::Counters before = transport_->counters();
  phase_.start_ns = wire::monotonic_ns();
  const std::int64_t cpu_ns = wire::thread_cpu_ns();

  for (wire::SlotId slot = 0; slot < options_.concurrency; ++slot) start_next(slot, phase_.start_ns);
  take_ended();
  while (active_ > 0) {
    turn();
    if (broken_off()) return Error{.kind = ErrorKind::interrupted, .message = "interrupted; nothing was written", .where = {}};
  }

  const std::int64_t wall_ns = wire::monotonic_ns() - phase_.start_ns;
  phase_.client.cpu_share = static_cast<double>(wire::thread_cpu_ns() - cpu_ns) / static_cast<double>(std::max<std::int64_t>(wall_ns, 1));
  phase_.client.reads = transport_->counters().reads - before.reads;
  phase_.client.connections_opened = transport_->counters().connections_opened;
  while (!finished_.empty()) read_one();
  phase_.records.resize(next_);
  for (const measure::RequestRecord& record : phase_.records) {
    phase_.client.events += static_cast<std::int64_t>(record.event_ns.size());
    phase_.client.coalesced += record.coalesced;
  }
  return std::move(phase_);
}

void LoadLoop::turn() {
  epoll_event events[k_batch];
  const int ready = ::epoll_wait(epoll_.get(), events, k_batch, finished_.empty() ? -1 : 0);
  if (ready == 0) return read_one();
  if (ready < 0) return;  // a signal; whoever set `stopped` is heard after this turn
  const std::int64_t begin_ns = wire::monotonic_ns();
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u32 == k_probe_tag) on_probe();
    else transport_->ready(events[i].data.u32, events[i].events);
    take_ended();
  }
  while (finished_bytes_ > k_finished_limit_bytes) read_one();
  phase_.client.worst_turn_ns = std::max(phase_.client.worst_turn_ns, wire::monotonic_ns() - begin_ns);
}

void LoadLoop::on_probe() {
  std::uint64_t expired = 0;
  if (::read(probe_.get(), &expired, sizeof expired) != sizeof expired) return;
  const std::int64_t now_ns = wire::monotonic_ns();
  // Every deadline that passed is late by its own amount, so a long pause weighs as much as it lasted.
  for (; expired > 0; --expired) {
    phase_.client.wake_lag.add(now_ns - next_probe_ns_);
    next_probe_ns_ += k_probe_period_ns;
  }
  if (now_ns >= next_overdue_check_ns_) end_overdue(now_ns);
}

void LoadLoop::end_overdue(std::int64_t now_ns) {
  next_overdue_check_ns_ = now_ns + k_overdue_check_ns;
  for (wire::SlotId slot = 0; slot < options_.concurrency; ++slot) {
    const wire::Exchange* exchange = slots_[slot].exchange.get();
    if (exchange != nullptr && now_ns - exchange->sent_ns > options_.timeout_ns)
      transport_->cancel(slot, fmt::format("no complete answer within {:g} s", static_cast<double>(options_.timeout_ns) / 1e9));
  }
}

void LoadLoop::start_next(wire::SlotId slot_id, std::int64_t due_ns) {
  if (next_ >= requests_.size() || !phase_.gave_up.empty()) return;
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
  ++active_;
  transport_->start(slot_id, requests_[slot.request].bytes, *slot.exchange);
}

int LoadLoop::slots_of_one_server() const {
  const std::size_t servers = options_.endpoints.size();
  return static_cast<int>((options_.concurrency + servers - 1) / servers);
}

void LoadLoop::on_end(wire::SlotId slot) { ended_.push_back(slot); }

void LoadLoop::take_ended() {
  while (!ended_.empty()) {
    const wire::SlotId slot_id = ended_.back();
    ended_.pop_back();
    Slot& slot = slots_[slot_id];
    --active_;
    int& broken = broken_in_a_row_[server_of(slot_id)];
    broken = slot.exchange->broken ? broken + 1 : 0;
    if (broken >= slots_of_one_server() + k_broken_margin && next_ < requests_.size() && phase_.gave_up.empty())
      phase_.gave_up = fmt::format("gave up after {} requests in a row broke off, the last because {}", broken, slot.exchange->error);
    const std::int64_t free_ns = slot.exchange->end_ns;
    finished_bytes_ += slot.exchange->bytes();
    finished_.push_back({.exchange = std::move(slot.exchange), .request = slot.request, .slot = slot_id, .due_ns = slot.due_ns});
    start_next(slot_id, free_ns);
  }
}

void LoadLoop::read_one() {
  Finished finished = std::move(finished_.front());
  finished_.pop_front();
  finished_bytes_ -= finished.exchange->bytes();
  phase_.records[finished.request] = read(finished);
  spare_.push_back(std::move(finished.exchange));
}

measure::RequestRecord LoadLoop::read(const Finished& finished) const {
  const wire::Exchange& exchange = *finished.exchange;
  measure::RequestRecord record;
  record.index = static_cast<std::int64_t>(finished.request);
  record.server = static_cast<int>(server_of(finished.slot));
  record.streamed = options_.stream;
  record.due_ns = finished.due_ns;
  record.sent_ns = exchange.sent_ns;
  record.end_ns = exchange.end_ns;
  record.isl = requests_[finished.request].isl;
  record.osl_requested = options_.osl;
  record.first_event_tokens = std::max<std::int64_t>(1, options_.tokens_per_event);
  record.status = exchange.status;
  if (exchange.status == 200) read_events(exchange, record);
  if (exchange.broken) {
    record.error = exchange.error;
    record.lost_server = exchange.lost_server;
  } else if (exchange.status != 200) {
    const std::string_view body = exchange.events().empty() ? std::string_view{} : exchange.data(exchange.events().front());
    std::string message = options_.protocol->read_refusal(body);
    record.error = fmt::format("HTTP {}: {}", exchange.status, shorten(message.empty() ? body : std::string_view(message)));
  }
  return record;
}

void LoadLoop::read_events(const wire::Exchange& exchange, measure::RequestRecord& record) const {
  record.event_ns.reserve(exchange.events().size());
  Told told;
  for (const wire::Exchange::Event& event : exchange.events()) {
    switch (options_.protocol->read_event(exchange.data(event), told)) {
      case EventKind::token:
        record.event_ns.push_back(event.ns);
        record.coalesced += event.coalesced;
        break;
      case EventKind::other: break;
      case EventKind::failure: record.error = fmt::format("the server reported inside its answer: {}", shorten(told.failure)); break;
      case EventKind::malformed: record.error = fmt::format("the server sent what is no event of this protocol: {}", shorten(exchange.data(event))); break;
    }
  }
  record.answer = std::move(told.text);
  record.isl_reported = told.isl;
  record.osl_reported = told.osl;
  if (record.error.empty() && record.event_ns.empty()) record.error = "the answer ended without a single token";
  if (told.osl && *told.osl <= options_.osl) record.osl_counted = told.osl;  // none can answer with more than it was let
  else if (options_.stream && options_.tokens_per_event > 0) record.osl_counted = static_cast<std::int64_t>(record.event_ns.size()) * options_.tokens_per_event;
  else if (options_.forced_osl && record.error.empty()) record.osl_counted = options_.osl;
}

}  // namespace orch::load
