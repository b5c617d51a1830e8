#include "load/scraper.hpp"

#include <cmath>

#include "wire/clock.hpp"
#include "wire/http_get.hpp"

namespace orch::load {
namespace {

constexpr int k_page_timeout_ms = 2000;
// A server counts a request a moment after it answered it, and each of its models for itself: its page is read again until
// the counts agree and nothing moves any more, or this passed.
constexpr std::int64_t k_settle_ns = 200'000'000;
constexpr auto k_settle_step = std::chrono::milliseconds(5);

// What every model of a Triton server counts; more than one server's pages have it, too.
constexpr std::string_view k_work = "nv_inference_";

std::vector<std::pair<std::string_view, double>> work(const MetricsPage& page) {
  std::vector<std::pair<std::string_view, double>> out;
  for (auto series = page.series.lower_bound(k_work); series != page.series.end() && series->first.starts_with(k_work); ++series)
    if (series->second.kind == measure::SeriesKind::counter) out.emplace_back(series->first, series->second.value);
  return out;
}

}  // namespace

Scraper::Scraper(std::vector<wire::Url> urls, wire::Access access, std::span<const wire::Url> servers) : urls_(std::move(urls)), access_(std::move(access)), servers_(servers.begin(), servers.end()) {}

std::optional<MetricsPage> Scraper::read() {
  if (urls_.empty()) return {};
  std::vector<MetricsPage> pages;
  for (const wire::Url& url : urls_) {
    wire::Access access = access_;
    if (std::none_of(servers_.begin(), servers_.end(), [&](const wire::Url& server) { return wire::same_origin(server, url); })) access.authorization.clear();
    const Result<std::string> text = wire::http_get(url, k_page_timeout_ms, access);
    if (!text.ok()) {
      trouble_ = text.error().message;
      urls_.clear();
      return {};
    }
    pages.push_back(parse_metrics_page(*text));
  }
  for (std::size_t i = 0; i < last_.size(); ++i)
    if (went_back(last_[i], pages[i])) set_back_.insert(urls_[i].text());
  last_ = std::move(pages);
  return together(last_);
}

std::optional<MetricsPage> Scraper::read_settled(const std::optional<MetricsPage>& from, std::int64_t requests) {
  const std::int64_t deadline_ns = wire::monotonic_ns() + k_settle_ns;
  std::optional<MetricsPage> previous;
  while (true) {
    std::optional<MetricsPage> page = read();
    if (!page || !from) return page;
    const std::optional<double> counted = growth(*from, *page).output_requests;
    const bool all_counted = !counted || std::llround(*counted) >= requests;
    const auto now = work(*page);
    if (all_counted && (now.empty() || (previous && work(*previous) == now))) return page;
    if (wire::monotonic_ns() > deadline_ns) return page;
    previous = std::move(page);
    std::this_thread::sleep_for(k_settle_step);
  }
}

Ranges Sampler::stop() {
  thread_.stop();
  return std::move(ranges_);
}

bool Sampler::sample() {
  const std::optional<MetricsPage> page = scraper_.read();
  if (page) add_sample(ranges_, *page);
  return page.has_value();
}

}  // namespace orch::load
