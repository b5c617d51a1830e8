#include "load/enough.hpp"

#include <numeric>

#include "base/text.hpp"
#include "measure/interval.hpp"
#include "wire/clock.hpp"

namespace orch::load {

Status check_stop_metric(std::string_view metric) {
  std::vector<std::string> names;
  for (const measure::MetricRow& row : measure::metric_table())
    if (row.each != nullptr) names.emplace_back(row.name);
  if (std::find(names.begin(), names.end(), metric) != names.end()) return {};
  return invalid(fmt::format("--until names '{}', which is no metric of single requests{}; there is: {}", metric, did_you_mean(metric, names), join(names, ", ")));
}

bool is_narrow(const StopAt& stop, std::span<const double> values) {
  const auto interval = measure::interval_of_mean(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return interval && interval->relative_to(sum / static_cast<double>(values.size())) <= stop.percent / 100;
}

Enough::Enough(const StopAt& stop, bool open_loop) : stop_(stop), metric_(measure::find_metric(stop.metric)) {
  window_.open_loop = open_loop;
  thread_ = std::thread([this] { work(); });
}

Enough::~Enough() { stop(); }

std::int64_t Enough::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return cpu_ns_;
}

bool Enough::tell(std::span<const measure::RequestRecord* const> ended) {
  {
    const std::scoped_lock lock(mutex_);
    for (const measure::RequestRecord* record : ended)
      if (const std::optional<double> value = metric_->of(window_, *record)) news_.emplace_back(record->index, *value);
  }
  wake_.notify_one();
  return reached();
}

void Enough::work() {
  Values all, news;
  std::vector<double> values;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopped_ || !news_.empty(); });
    if (stopped_) break;
    news.swap(news_);
    lock.unlock();
    all.insert(all.end(), news.begin(), news.end());
    news.clear();
    std::sort(all.begin(), all.end());
    values.clear();
    for (const auto& [index, value] : all) values.push_back(value);
    if (is_narrow(stop_, values)) reached_ = true;
    lock.lock();
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

}  // namespace orch::load
