#include "bench/observe/metrics_page.hpp"

#include "bench/observe/model_statistics.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/http_get.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <condition_variable>
#include <mutex>

namespace orch::observe {

namespace {

using measure::SeriesKind;
using measure::SeriesName;

class PageReader {
 public:
  MetricsPage read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(trim(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(page_);
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) return;
    if (line.front() == '#') return take_type(line);
    std::size_t end = 0;
    const auto name = measure::read_series_name(line, end);
    if (!name || measure::is_timestamp(*name)) return;
    std::string_view value_text = trim(line.substr(end));
    value_text = value_text.substr(0, value_text.find_first_of(" \t"));  // a timestamp may follow
    if (const auto value = to_real(value_text)) put(*name, *value);
  }

  // "# TYPE family kind" precedes the series of a family.
  void take_type(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::string_view rest = line; !rest.empty() && words.size() < 4;) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      words.push_back(rest.substr(0, end));
      rest = trim(rest.substr(end));
    }
    if (words.size() != 4 || words[0] != "#" || words[1] != "TYPE") return;
    family_ = words[2];
    type_ = words[3];
  }

  void put(const SeriesName& name, double value) {
    std::string text = name.text();
    if (text.size() > k_longest_series && name.family.ends_with("_info")) return put_settings(name);
    const auto there = page_.series.find(text);
    const bool known = measure::is_known_family(name.family);
    const bool room = text.size() <= k_longest_series && page_.series.size() < k_most_series &&
                      (known || unknown_ < k_most_unknown_series);
    if (there == page_.series.end() && !room) return void(++page_.left_out);
    if (there == page_.series.end()) unknown_ += !known;
    page_.series.insert_or_assign(
        std::move(text),
        Sample{.value = value, .kind = measure::kind_of(name, declared(name.family))});
  }

  // FAMILY_info is always 1, and its labels are settings. Numeric ones become gauges.
  void put_settings(const SeriesName& name) {
    for (const auto& [label, text] : name.labels) {
      const auto value = to_real(text);
      if (value && page_.series.size() < k_most_series)
        page_.series.insert_or_assign(fmt::format("{}_{}", name.family, label),
                                      Sample{.value = *value, .kind = SeriesKind::gauge});
    }
  }

  // The declared type of FAMILY, which may be the sum or count of a histogram or summary.
  std::string_view declared(std::string_view family) const {
    if (family == family_) return type_;
    if (!family.starts_with(family_) || (type_ != "histogram" && type_ != "summary")) return {};
    const std::string_view rest = family.substr(family_.size());
    return rest == "_sum" || rest == "_count" || rest == "_bucket" ? type_ : std::string_view{};
  }

  MetricsPage page_;
  std::string_view family_;  // the last TYPE line
  std::string_view type_;
  std::size_t unknown_ = 0;
};

// The token-length histograms are counters, even if their page declares another type.
bool counts(std::string_view name, const Sample& sample) {
  return sample.kind == SeriesKind::counter || name.starts_with("nv_llm_input_token_len_") ||
         name.starts_with("nv_llm_output_token_len_");
}

// 2^53: every integer up to here is exact as a double.
constexpr double k_most_counted = 9'007'199'254'740'992;

std::optional<double> family_delta(const MetricsPage& before, const MetricsPage& after,
                                   std::string_view name) {
  const std::optional<double> now = family_sum(after, name);
  if (!now) return {};
  const double by = *now - family_sum(before, name).value_or(0);
  return by >= 0 && by <= k_most_counted ? std::optional(by) : std::nullopt;
}

// SERIES with a label for server NUMBER.
std::string of_server(const std::string& series, std::size_t number) {
  std::size_t end = 0;
  std::optional<SeriesName> name = measure::read_series_name(series, end);
  if (!name) return series;
  name->labels["server"] = std::to_string(number);
  return name->text();
}

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

MetricsPage parse_metrics_page(std::string_view text) { return PageReader().read(text); }

MetricsPage merge_pages(std::span<const MetricsPage> pages) {
  if (pages.size() == 1) return pages.front();
  MetricsPage out;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    out.left_out += pages[i].left_out;
    for (const auto& [series, sample] : pages[i].series) {
      const bool adds = sample.kind == SeriesKind::counter;
      const auto [there, fresh] =
          out.series.emplace(adds ? series : of_server(series, i + 1), sample);
      if (!fresh && adds) there->second.value += sample.value;
    }
  }
  return out;
}

bool counters_reset(const MetricsPage& before, const MetricsPage& after) {
  return std::ranges::any_of(before.series, [&](const auto& was) {
    const auto is =
        counts(was.first, was.second) ? after.series.find(was.first) : after.series.end();
    return is != after.series.end() && is->second.value < was.second.value;
  });
}

std::optional<double> family_sum(const MetricsPage& page, std::string_view name) {
  std::optional<double> sum;
  for (auto series = page.series.lower_bound(name);
       series != page.series.end() && series->first.starts_with(name); ++series) {
    const std::string_view rest = std::string_view(series->first).substr(name.size());
    if (rest.empty() || rest.front() == '{') sum = sum.value_or(0) + series->second.value;
  }
  return sum;
}

measure::ServerCounts counts_between(const MetricsPage& before, const MetricsPage& after) {
  return {.input_tokens = family_delta(before, after, "nv_llm_input_token_len_sum"),
          .input_requests = family_delta(before, after, "nv_llm_input_token_len_count"),
          .output_tokens = family_delta(before, after, "nv_llm_output_token_len_sum"),
          .output_requests = family_delta(before, after, "nv_llm_output_token_len_count")};
}

void add_sample(Ranges& ranges, const MetricsPage& page) {
  for (const auto& [series, sample] : page.series) {
    if (sample.kind != SeriesKind::gauge) continue;
    if (ranges.size() >= std::max(k_most_series, page.series.size()) && !ranges.contains(series))
      continue;
    const auto [there, fresh] =
        ranges.emplace(series, Range{.min = sample.value, .max = sample.value});
    Range& range = there->second;
    range.min = std::min(range.min, sample.value);
    range.max = std::max(range.max, sample.value);
    range.sum += sample.value;
    ++range.samples;
  }
}

Periodic::Periodic(double period_s, std::function<bool()> step) {
  if (period_s <= 0) return;
  thread_ = std::jthread([this, period_s, step = std::move(step)](const std::stop_token& stop) {
    run(stop, period_s, step);
  });
}

void Periodic::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Periodic::run(const std::stop_token& stop, double period_s,
                   const std::function<bool()>& step) {
  std::mutex sleeping;
  std::condition_variable_any wake;
  std::unique_lock lock(sleeping);
  const std::chrono::duration<double> period(period_s);
  for (bool again = true; again;) {
    wake.wait_for(lock, stop, period, [] { return false; });
    again = !stop.stop_requested() && step();
  }
  cpu_ns_ = wire::thread_cpu_ns();
}

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
