#include "bench/load/slots.hpp"

namespace orch::load {
namespace {

// Connections that an open loop keeps open beyond those in use.
constexpr std::size_t k_spare_connections = 8;
// How many slots to try in search of an open connection.
constexpr std::size_t k_tries = 8;
constexpr std::size_t k_most_slots = 65'536;
constexpr std::int64_t k_overdue_check_ns = 50'000'000;
// Limits for answers that wait to be parsed while sockets are busy. From half of a limit on,
// sockets are served in small batches.
constexpr std::size_t k_waiting_limit_bytes = 4 * 1024 * 1024;
constexpr std::size_t k_waiting_limit = 1024;

}  // namespace

Slots::Slots(wire::TransportOptions options, wire::Transport::Listener& listener)
    : free_(options.endpoints.size()),
      transport_(wire::make_transport(std::move(options), listener)) {}

Status Slots::open(wire::SlotId slots, int timeout_ms) {
  ORCH_TRY(transport_->open(slots, timeout_ms));
  grow(slots);
  return {};
}

void Slots::grow(wire::SlotId slots) {
  if (slots <= slots_.size()) return;
  std::vector<std::deque<wire::SlotId>> fresh(free_.size());
  for (wire::SlotId slot = slots; slot-- > slots_.size();) fresh[server_of(slot)].push_back(slot);
  // New slots are used after the existing ones.
  for (std::size_t server = 0; server < free_.size(); ++server)
    free_[server].insert(free_[server].begin(), fresh[server].begin(), fresh[server].end());
  slots_.resize(slots);
}

void Slots::keep_spare(std::size_t limit) {
  const std::size_t now = slots_.size();
  if (now >= active_ + k_spare_connections || now >= k_most_slots) return;
  const auto slots = static_cast<wire::SlotId>(std::min(
      limit > 0 ? limit : k_most_slots, now + std::max<std::size_t>(k_spare_connections, now / 4)));
  if (slots <= now) return;
  transport_->grow(slots);
  grow(slots);
}

std::optional<wire::SlotId> Slots::take_free() {
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

void Slots::give_back(wire::SlotId slot, bool reopens) {
  std::deque<wire::SlotId>& free = free_[server_of(slot)];
  // Closed connections go to the front, so that an open loop can reopen them before they are
  // needed.
  if (reopens && !transport_->warm(slot)) free.push_front(slot);
  else free.push_back(slot);
}

void Slots::start(wire::SlotId slot, Turn turn, const PreparedRequest& request,
                  std::optional<std::uint64_t> id) {
  auto& [flight, with_id] = slots_[slot];
  if (spare_.empty()) {
    flight.exchange = std::make_unique<wire::Exchange>();
  } else {
    flight.exchange = std::move(spare_.back());
    spare_.pop_back();
    flight.exchange->clear();
  }
  flight.turn = turn;
  flight.reading = {};
  measure::RequestRecord& record = flight.reading.record;
  record.index = static_cast<std::int64_t>(turn.index);
  record.server = static_cast<int>(server_of(slot));
  record.due_ns = turn.due_ns;
  record.isl = request.isl;
  record.osl_requested = request.osl;
  ++active_;
  std::string_view bytes = request.bytes;
  if (id) {
    with_id = request.bytes;
    with_id.replace(request.id_at, protocol::k_id_digits, protocol::text_of_id(*id));
    bytes = with_id;
  }
  transport_->start(slot, bytes, *flight.exchange);
}

void Deadlines::note_start(wire::SlotId slot, const Turn& turn) {
  if (options_.stop_after_ns > 0)
    queue_.push_back({.stop_ns = wire::monotonic_ns() + options_.stop_after_ns,
                      .slot = slot,
                      .turn = turn.index});
}

void Deadlines::check(std::int64_t now_ns) {
  if (now_ns >= next_overdue_check_ns_) cancel_overdue(now_ns);
  while (!queue_.empty() && queue_.front().stop_ns <= now_ns) {
    Sent sent = queue_.front();
    queue_.pop_front();
    const InFlight& flight = slots_[sent.slot];
    if (flight.exchange == nullptr || flight.turn.index != sent.turn) continue;
    // Opening the connection may have delayed the send.
    sent.stop_ns = flight.exchange->sent_ns + options_.stop_after_ns;
    if (sent.stop_ns <= now_ns) stop(sent.slot);
    else queue_.insert(std::ranges::upper_bound(queue_, sent.stop_ns, {}, &Sent::stop_ns), sent);
  }
}

void Deadlines::cancel_overdue(std::int64_t now_ns) {
  next_overdue_check_ns_ = now_ns + k_overdue_check_ns;
  for (wire::SlotId slot = 0; slot < slots_.size(); ++slot) {
    const wire::Exchange* exchange = slots_[slot].exchange.get();
    if (exchange != nullptr && now_ns - exchange->sent_ns > options_.timeout_ns)
      slots_.transport().cancel(slot, fmt::format("no complete answer within {:g} s",
                                                  static_cast<double>(options_.timeout_ns) / 1e9));
  }
}

void Deadlines::stop(wire::SlotId slot) {
  if (!options_.ask_to_stop) return slots_.transport().stop(slot);
  slots_[slot].reading.asked_to_stop = true;
  options_.ask_to_stop(slots_.server_of(slot), turns_.id_of(slots_[slot].turn));
}

void Receiver::add(InFlight&& ended) {
  waiting_bytes_ += ended.exchange->held_bytes();
  waiting_.push_back(std::move(ended));
}

void Receiver::note_many(wire::SlotId slot) {
  if (slots_[slot].exchange->held_bytes() >= wire::Exchange::k_too_many_bytes) read_ahead(slot);
  else bulky_.push_back(slot);
}

void Receiver::read_ahead(wire::SlotId slot) {
  reader_.take(*slots_[slot].exchange, slots_[slot].reading);
  if (!slots_[slot].reading.too_long.empty()) too_long_.push_back(slot);
}

void Receiver::cancel_too_long() {
  if (too_long_.empty()) return;
  for (const wire::SlotId slot : std::exchange(too_long_, {}))
    if (slots_[slot].exchange != nullptr && !slots_[slot].reading.too_long.empty())
      slots_.transport().cancel(slot, slots_[slot].reading.too_long);
}

bool Receiver::is_behind() const {
  return waiting_bytes_ > k_waiting_limit_bytes / 2 || waiting_.size() > k_waiting_limit / 2;
}

bool Receiver::is_over_limit() const {
  return waiting_bytes_ > k_waiting_limit_bytes || waiting_.size() > k_waiting_limit;
}

bool Receiver::read_one() {
  if (waiting_.empty()) {
    if (bulky_.empty()) return false;
    const wire::SlotId slot = bulky_.front();
    bulky_.pop_front();
    if (slots_[slot].exchange != nullptr) read_ahead(slot);
    return true;
  }
  InFlight ended = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= ended.exchange->held_bytes();
  reader_.finish(*ended.exchange, ended.reading);
  measure::RequestRecord& record = records_[ended.turn.index];
  record = std::move(ended.reading.record);
  keep_answer(record);
  slots_.reuse(std::move(ended.exchange));
  if (tally_ != nullptr) count(record);
  supervisor_.note_record(record, records_);
  return true;
}

void Receiver::catch_up() {
  if (is_behind()) read_one();
  // Hopeless loads end early: before the first success, no answer waits for an idle moment.
  while (supervisor_.is_watching() && !waiting_.empty()) read_one();
  while (is_over_limit() && read_one()) {
  }
}

void Receiver::read_all() {
  while (read_one()) {
  }
}

void Receiver::keep_answer(measure::RequestRecord& record) const {
  if (answers_ && !record.values.empty())
    record.spooled_values = answers_->put({.text = std::exchange(record.values, {})});
  if (record.answer.empty()) return;
  if (!answers_) return wire::black_out(access_, record.answer, record.text_ends);
  record.spooled = answers_->put(
      {.text = std::exchange(record.answer, {}), .text_ends = std::exchange(record.text_ends, {})});
}

void Receiver::count(const measure::RequestRecord& record) const {
  if (!record.ok()) Tally::add(tally_->failed);
  Tally::add(tally_->tokens, record.osl_reported.value_or(record.osl_counted.value_or(0)));
}

void Receiver::drop(const std::set<std::size_t>& turns) {
  std::deque<measure::RequestRecord> kept;
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (!turns.contains(i)) kept.push_back(std::move(records_[i]));
  records_ = std::move(kept);
}

std::vector<measure::RequestRecord> Receiver::take_records() {
  bulky_.clear();
  too_long_.clear();
  std::vector<measure::RequestRecord> out(std::make_move_iterator(records_.begin()),
                                          std::make_move_iterator(records_.end()));
  records_.clear();
  return out;
}

}  // namespace orch::load
