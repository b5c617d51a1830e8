// The metrics pages of the servers under load: read between the phases, and periodically during a
// window on a thread of its own. A page that fails once is not read again; the error is kept. It
// does not know what the series mean.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/observe/metrics_page.hpp"
#include "bench/observe/periodic.hpp"

namespace orch::observe {

class Scraper {
 public:
  // Reads nothing without URLS. Sends the token of ACCESS only to pages with the origin (scheme,
  // host, port) of one of SERVERS.
  explicit Scraper(std::vector<wire::Url> urls, wire::Access access = {},
                   std::span<const wire::Url> servers = {});

  std::optional<MetricsPage> read();
  // Rereads the pages until they count REQUESTS more answers than FROM and no model's counters
  // change any more, or the settling time has passed.
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

// Reads pages every PERIOD_S seconds from construction to stop(). A page that fails ends the
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
  Periodic thread_;  // last: it uses the others
};

}  // namespace orch::observe
