// The metrics pages of the servers under load: read between the phases, and now and then while a
// window lasts, on a thread of its own. A page that fails once is not asked again and leaves a
// sentence.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "observe/metrics_page.hpp"
#include "observe/periodic.hpp"

namespace orch::observe {

class Scraper {
 public:
  // Without URLS nothing is ever read. The token of ACCESS goes to pages of the very SERVERS
  // (scheme, host and port) for which it was given, and to no others.
  explicit Scraper(std::vector<wire::Url> urls, wire::Access access = {},
                   std::span<const wire::Url> servers = {});

  std::optional<MetricsPage> read();
  // Reads the pages again until they count REQUESTS more answers than FROM and no model has
  // anything left to count, or the time for settling has passed.
  std::optional<MetricsPage> read_settled(const std::optional<MetricsPage>& from,
                                          std::int64_t requests);

  const std::string& trouble() const { return trouble_; }
  // Pages of which a counter was found lower than it had been, since this was last asked.
  std::set<std::string> take_set_back() { return std::exchange(set_back_, {}); }

 private:
  std::vector<wire::Url> urls_;
  wire::Access access_;
  std::vector<wire::Url> servers_;
  std::vector<MetricsPage> last_;  // one for each URL, once they were read
  std::set<std::string> set_back_;
  std::string trouble_;
};

// Reads pages every PERIOD_S seconds from its making to stop(). One that fails ends the sampling
// and leaves a sentence.
class Sampler {
 public:
  // A period of 0 samples nothing.
  Sampler(Scraper scraper, double period_s)
      : scraper_(std::move(scraper)), thread_(period_s, [this] { return sample(); }) {}

  Ranges stop();
  std::int64_t cpu_ns() const { return thread_.cpu_ns(); }
  // After stop().
  const std::string& trouble() const { return scraper_.trouble(); }
  std::set<std::string> take_set_back() { return scraper_.take_set_back(); }

 private:
  bool sample();

  Scraper scraper_;
  Ranges ranges_;
  Periodic thread_;  // last: it uses the others
};

}  // namespace orch::observe
