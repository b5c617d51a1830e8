// A server's metrics page in Prometheus text format: parsed into a bounded map, merged with those
// of other servers, and compared.
#pragma once

#include "bench/measure/goodput.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/wire/endpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace orch::observe {

struct Sample {
  double value = 0;
  measure::SeriesKind kind = measure::SeriesKind::unknown;
  bool operator==(const Sample&) const = default;
};

// Keyed by the name of the series (SeriesName::text()). Non-finite values are left out, since JSON
// cannot represent them, as are clocks and lines that are not a series. The last value of a
// duplicate series counts. A series FAMILY_info that is too long becomes gauges FAMILY_info_LABEL
// of its numeric labels.
struct MetricsPage {
  std::map<std::string, Sample, std::less<>> series;
  std::int64_t left_out = 0;  // series beyond the limits below
};

inline constexpr std::size_t k_most_series = 10'000;
// At most this many of them are in families that are not Triton's.
inline constexpr std::size_t k_most_unknown_series = 1'000;
inline constexpr std::size_t k_longest_series = 1'024;  // bytes of a name with its labels

MetricsPage parse_metrics_page(std::string_view text);

// One page for several servers: counters are added; other series are kept apart by a label `server`
// (1, 2, ...). A single page stays unchanged.
MetricsPage merge_pages(std::span<const MetricsPage> pages);

// Whether any counter is lower in AFTER than in BEFORE: it was reset, or the server restarted.
bool counters_reset(const MetricsPage& before, const MetricsPage& after);

// The sum of family NAME over all its labels; nullopt if the page has none.
std::optional<double> family_sum(const MetricsPage& page, std::string_view name);

// How much Triton's token-length histograms grew between two pages. A member is nullopt if AFTER
// lacks its family, or if the family decreased, or grew beyond the exact range of a double. A
// family missing from BEFORE started at 0.
measure::ServerCounts counts_between(const MetricsPage& before, const MetricsPage& after);

// The values of a gauge during a window.
struct Range {
  double min = 0;
  double max = 0;
  double sum = 0;
  std::int64_t samples = 0;
};
using Ranges = std::map<std::string, Range, std::less<>>;

// Adds one sample of each gauge of PAGE. RANGES grows to at most k_most_series names, or to as many
// as PAGE has if those are more.
void add_sample(Ranges& ranges, const MetricsPage& page);

// Calls a function periodically on its own thread, until it is stopped or the function returns
// false.

class Periodic {
 public:
  // Calls STEP every PERIOD_S seconds, first after one period, until it returns false. Never if
  // PERIOD_S is 0.
  Periodic(double period_s, std::function<bool()> step);
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  // No step runs after it returns, so the results of steps may be read.
  void stop();
  // CPU time of the thread; valid after stop().
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void run(const std::stop_token& stop, double period_s, const std::function<bool()>& step);

  std::int64_t cpu_ns_ = 0;
  std::jthread thread_;
};

// The metrics pages of the servers under load: read between the phases, and periodically during a
// window on a separate thread. Once a page fails, none is read again; the error is kept.

class Scraper {
 public:
  // Reads nothing without URLS. Sends the token and the headers of ACCESS only to pages with the
  // origin (scheme, host, port) of one of SERVERS.
  explicit Scraper(std::vector<wire::Url> urls, wire::Access access = {},
                   std::span<const wire::Url> servers = {});

  std::optional<MetricsPage> read();
  // Rereads the pages until they count REQUESTS more answers than FROM and no model's counters
  // change any longer, or the time limit of read_settled() has passed.
  std::optional<MetricsPage> read_settled(const std::optional<MetricsPage>& from,
                                          std::int64_t requests);

  const std::string& error() const { return error_; }
  // URLs of pages with a counter that decreased since the last call.
  std::set<std::string> take_reset_urls() { return std::exchange(reset_urls_, {}); }

 private:
  std::vector<wire::Url> urls_;
  wire::Access access_;
  std::vector<wire::Url> servers_;
  std::vector<MetricsPage> last_;  // one per URL, after the first read
  std::set<std::string> reset_urls_;
  std::string error_;
};

// Reads pages every PERIOD_S seconds from construction until stop(). A page that fails ends the
// sampling; the error is kept.
class Sampler {
 public:
  // A period of 0 samples nothing.
  Sampler(Scraper scraper, double period_s)
      : scraper_(std::move(scraper)), thread_(period_s, [this] { return sample(); }) {}

  Ranges stop();
  std::int64_t cpu_ns() const { return thread_.cpu_ns(); }
  // Valid after stop().
  const std::string& error() const { return scraper_.error(); }
  std::set<std::string> take_reset_urls() { return scraper_.take_reset_urls(); }

 private:
  bool sample();

  Scraper scraper_;
  Ranges ranges_;
  Periodic thread_;  // last: it uses the members above
};

}  // namespace orch::observe
