#include "bench/load/turns.hpp"

namespace orch::load {
namespace {

// How many consecutive exchanges, beyond one per slot, must break before a phase gives up.
constexpr std::size_t k_broken_margin = 3;
// New records before the first call of should_stop.
constexpr std::size_t k_first_check = 50;

}  // namespace

void Turns::begin(const SendPlan& plan) {
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
  is_closed_ = false;
}

bool Turns::has_more() const {
  if (is_closed_) return false;
  if (plan_.max_requests > 0 && next_ >= plan_.max_requests) return false;
  if (plan_.max_requests == 0 && plan_.duration_ns == 0) return false;
  if (plan_.duration_ns == 0) return true;
  const std::int64_t at_ns = has_schedule() ? next_due_ns() : wire::monotonic_ns();
  return at_ns - start_ns_ < plan_.duration_ns;
}

std::size_t Turns::untaken(std::size_t most, std::vector<std::int64_t>& due_ns) const {
  std::size_t count = 0;
  if (!has_schedule()) return count;
  for (std::size_t i = next_; i < plan_.max_requests; ++i) {
    const std::int64_t at_ns = (*plan_.due_ns)[i];
    if (plan_.duration_ns > 0 && at_ns >= plan_.duration_ns) break;  // beyond the duration
    if (++count <= most) due_ns.push_back(at_ns);
  }
  return count;
}

void Supervisor::begin(std::size_t servers, std::size_t slots) {
  broken_in_a_row_.assign(servers, 0);
  refusals_.begin(slots);
  give_up_reason_.clear();
  newly_finished_.clear();
  has_reached_target_ = false;
}

void Supervisor::give_up(std::string reason) {
  give_up_reason_ = std::move(reason);
  turns_.close();
}

void Supervisor::note_end(const wire::Exchange& exchange, std::size_t server, std::size_t slots) {
  int& broken = broken_in_a_row_[server];
  broken = exchange.broken ? broken + 1 : 0;
  if (broken >= static_cast<int>(slots + k_broken_margin) && turns_.has_more())
    give_up(fmt::format("gave up after {} requests in a row broke off, the last because {}", broken,
                        wire::blacked_out(access_, exchange.error)));
}

// The interval between calls of should_stop grows with the number of records: precision changes
// slowly.
void Supervisor::note_record(const measure::RequestRecord& record,
                             const std::deque<measure::RequestRecord>& records) {
  if (refusals_.watching()) watch_refusals(record, records);
  const auto& should_stop = turns_.plan().should_stop;
  if (!should_stop) return;
  newly_finished_.push_back(&record);
  if (has_reached_target_ || newly_finished_.size() < std::max(k_first_check, records.size() / 8))
    return;
  has_reached_target_ = should_stop(newly_finished_);
  newly_finished_.clear();
  if (has_reached_target_) turns_.close();
}

void Supervisor::watch_refusals(const measure::RequestRecord& record,
                                const std::deque<measure::RequestRecord>& records) {
  if (record.ok()) return refusals_.end();
  refusals_.look(records);
  if (!refusals_.reason().empty() && turns_.has_more()) give_up(refusals_.reason());
}

}  // namespace orch::load
