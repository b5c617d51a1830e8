#include "load/scraper.hpp"

#include <cmath>

#include "load/clock.hpp"
#include "load/http_get.hpp"

namespace orch::load {
namespace {

constexpr int k_page_timeout_ms = 2000;
// A server may count a request a moment after it answered it: its page is read again until the counts agree or this passed.
constexpr std::int64_t k_settle_ns = 200'000'000;
constexpr auto k_settle_step = std::chrono::milliseconds(5);

}  // namespace

std::optional<MetricsPage> Scraper::read() {
  if (urls_.empty()) return {};
  std::vector<MetricsPage> pages;
  for (const Url& url : urls_) {
    const Result<std::string> text = http_get(url, k_page_timeout_ms);
    if (!text.ok()) {
      trouble_ = text.error().message;
      urls_.clear();
      return {};
    }
    pages.push_back(parse_metrics_page(*text));
  }
  return together(pages);
}

std::optional<MetricsPage> Scraper::read_settled(const std::optional<MetricsPage>& from, std::int64_t requests) {
  const std::int64_t deadline_ns = monotonic_ns() + k_settle_ns;
  while (true) {
    std::optional<MetricsPage> page = read();
    if (!page || !from) return page;
    const std::optional<double> counted = growth(*from, *page).output_requests;
    if (!counted || std::llround(*counted) >= requests || monotonic_ns() > deadline_ns) return page;
    std::this_thread::sleep_for(k_settle_step);
  }
}

Sampler::Sampler(Scraper scraper, double period_s) : scraper_(std::move(scraper)), period_s_(period_s) {
  if (period_s_ > 0) thread_ = std::thread([this] { sample(); });
}

Sampler::~Sampler() { stop(); }

Ranges Sampler::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  return std::move(ranges_);
}

void Sampler::sample() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(period_s_), [this] { return stopped_; })) {
    lock.unlock();
    const std::optional<MetricsPage> page = scraper_.read();
    if (page) add_sample(ranges_, *page);
    lock.lock();
    if (!page) return;
  }
}

}  // namespace orch::load
