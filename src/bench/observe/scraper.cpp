#include "bench/observe/scraper.hpp"

#include <cmath>

#include "bench/observe/settled_read.hpp"
#include "bench/wire/http_get.hpp"

namespace orch::observe {
namespace {

// Counters of every Triton model; pages of other servers lack them.
constexpr std::string_view k_work = "nv_inference_";

std::vector<std::pair<std::string_view, double>> work(const MetricsPage& page) {
  std::vector<std::pair<std::string_view, double>> out;
  for (auto series = page.series.lower_bound(k_work);
       series != page.series.end() && series->first.starts_with(k_work); ++series)
    if (series->second.kind == measure::SeriesKind::counter)
      out.emplace_back(series->first, series->second.value);
  return out;
}

}  // namespace

Scraper::Scraper(std::vector<wire::Url> urls, wire::Access access,
                 std::span<const wire::Url> servers)
    : urls_(std::move(urls)),
      access_(std::move(access)),
      servers_(servers.begin(), servers.end()) {}

std::optional<MetricsPage> Scraper::read() {
  if (urls_.empty()) return {};
  std::vector<MetricsPage> pages;
  for (const wire::Url& url : urls_) {
    wire::Access access = access_;
    if (std::ranges::none_of(
            servers_, [&](const wire::Url& server) { return wire::same_origin(server, url); })) {
      access.authorization.clear();
      access.headers.clear();
    }
    const Result<std::string> text = wire::http_get(url, k_page_timeout_ms, access);
    if (!text.ok()) {
      error_ = text.error().message;
      urls_.clear();
      return {};
    }
    pages.push_back(parse_metrics_page(*text));
  }
  for (std::size_t i = 0; i < last_.size(); ++i)
    if (counters_reset(last_[i], pages[i])) reset_urls_.insert(urls_[i].text());
  last_ = std::move(pages);
  return merge_pages(last_);
}

std::optional<MetricsPage> Scraper::read_settled(const std::optional<MetricsPage>& from,
                                                 std::int64_t requests) {
  return observe::read_settled(
      [this] { return read(); },
      [&](const std::optional<MetricsPage>& previous, const MetricsPage& page) {
        if (!from) return true;
        const std::optional<double> counted = counts_between(*from, page).output_requests;
        const bool all_counted = !counted || std::llround(*counted) >= requests;
        const auto now = work(page);
        return all_counted && (now.empty() || (previous && work(*previous) == now));
      });
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

}  // namespace orch::observe
