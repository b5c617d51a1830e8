#include "load/enough.hpp"

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

Enough::Enough(const StopAt& stop, bool open_loop) : metric_(measure::find_metric(stop.metric)), share_(stop.percent / 100) {
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
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopped_ || !news_.empty(); });
    if (stopped_) break;
    news.swap(news_);
    lock.unlock();
    all.insert(all.end(), news.begin(), news.end());
    news.clear();
    if (is_narrow(all)) reached_ = true;
    lock.lock();
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

bool Enough::is_narrow(Values& all) const {
  std::sort(all.begin(), all.end());
  std::vector<double> values;
  values.reserve(all.size());
  double sum = 0;
  for (const auto& [index, value] : all) {
    values.push_back(value);
    sum += value;
  }
  const auto interval = measure::interval_of_mean(values);
  return interval && interval->relative_to(sum / static_cast<double>(values.size())) <= share_;
}

}  // namespace orch::load
