#include "bench/load/precision_monitor.hpp"

#include "bench/measure/interval.hpp"
#include "bench/wire/exchange.hpp"
#include "core/base/text.hpp"

namespace orch::load {
namespace {

constexpr double k_margin = 0.9;

}  // namespace

Status check_precision_metric(std::string_view metric, std::span<const record::Load> loads) {
  std::vector<std::string> names;
  for (const measure::MetricRow& row : measure::metric_table())
    if (row.each != nullptr || row.adds != nullptr) names.emplace_back(row.name);
  if (std::ranges::find(names, metric) == names.end())
    return invalid(
        fmt::format("--until names '{}', which is neither a per-request metric nor a "
                    "throughput{}; known: {}",
                    metric, did_you_mean(metric, names), join(names, ", ")));
  const bool open = std::ranges::any_of(
      loads, [](const record::Load& load) { return load.kind == record::Load::Kind::open; });
  if (open && measure::find_metric(metric)->adds != nullptr)
    return invalid(
        fmt::format("--until {} has no effect in an open loop, whose throughput is set by the "
                    "schedule; name a latency, or give --concurrency",
                    metric));
  return {};
}

bool is_narrow(const record::PrecisionTarget& stop, const measure::Window& window,
               std::span<const measure::Parts> parts) {
  const auto [above, below] = measure::Parts::sum_of(parts);
  const auto interval = measure::interval_of_parts(window, parts);
  // Slots do not end at the same time, so the window's rate may be lower by up to one round.
  const bool is_rate = measure::find_metric(stop.metric)->adds != nullptr;
  const double ends =
      is_rate ? static_cast<double>(window.concurrency) / static_cast<double>(parts.size()) : 0;
  return interval && interval->relative_to(above / below) + ends <= k_margin * stop.percent / 100;
}

PrecisionCheck::PrecisionCheck(const record::PrecisionTarget& stop, const record::Load& load)
    : stop_(stop), metric_(*measure::find_metric(stop.metric)) {
  window_.open_loop = load.kind == record::Load::Kind::open;
  window_.concurrency = window_.open_loop ? 0 : load.concurrency;
}

PrecisionCheck::Ended PrecisionCheck::part_of(const measure::RequestRecord& record) const {
  return {.index = record.index, .parts = metric_.parts_of(window_, record)};
}

bool PrecisionCheck::add(std::span<const Ended> ended) {
  insert_in_order(ended);
  if (!has_unknown_ && in_order_.size() >= next_check_) {
    narrow_in_a_row_ = is_narrow(stop_, window_, in_order_) ? narrow_in_a_row_ + 1 : 0;
    next_check_ = in_order_.size() + std::max<std::size_t>(in_order_.size() / 8, 1);
  }
  return narrow_in_a_row_ >= 2;
}

void PrecisionCheck::insert_in_order(std::span<const Ended> ended) {
  for (const auto& [index, parts] : ended) out_of_order_.emplace(index, parts);
  while (!out_of_order_.empty() && out_of_order_.begin()->first == std::ssize(in_order_)) {
    has_unknown_ = has_unknown_ || !out_of_order_.begin()->second;
    in_order_.push_back(out_of_order_.begin()->second.value_or(measure::Parts{}));
    out_of_order_.erase(out_of_order_.begin());
  }
}

PrecisionMonitor::PrecisionMonitor(const record::PrecisionTarget& stop, const record::Load& load)
    : check_(stop, load), thread_([this] { run(); }) {}

PrecisionMonitor::~PrecisionMonitor() { stop(); }

std::int64_t PrecisionMonitor::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return cpu_ns_;
}

bool PrecisionMonitor::add(std::span<const measure::RequestRecord* const> ended) {
  {
    const std::scoped_lock lock(mutex_);
    for (const measure::RequestRecord* record : ended) queue_.push_back(check_.part_of(*record));
  }
  wake_.notify_one();
  return reached();
}

void PrecisionMonitor::run() {
  std::vector<PrecisionCheck::Ended> ended;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (stopped_) break;
    ended.swap(queue_);
    lock.unlock();
    if (check_.add(ended)) reached_ = true;
    ended.clear();
    lock.lock();
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

}  // namespace orch::load
