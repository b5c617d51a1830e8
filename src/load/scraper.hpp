// The metrics pages of the servers under load: read between the phases, and now and then while a window lasts, on a thread
// of its own. A page that fails once is not asked again and leaves a sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "load/metrics_page.hpp"
#include "load/periodic.hpp"

namespace orch::load {

class Scraper {
 public:
  // Without URLS nothing is ever read. The token of ACCESS goes to pages on the hosts of SERVERS only, for which it was given.
  explicit Scraper(std::vector<wire::Url> urls, wire::Access access = {}, std::span<const wire::Url> servers = {});

  std::optional<MetricsPage> read();
  // Reads the pages again until they count REQUESTS more answers than FROM and no model has anything left to count, or the
  // time for settling has passed.
  std::optional<MetricsPage> read_settled(const std::optional<MetricsPage>& from, std::int64_t requests);

  const std::string& trouble() const { return trouble_; }

 private:
  std::vector<wire::Url> urls_;
  wire::Access access_;
  std::set<std::string> trusted_;  // hosts
  std::string trouble_;
};

// Reads pages every PERIOD_S seconds from its making to stop(). One that fails ends the sampling and leaves a sentence.
class Sampler {
 public:
  // A period of 0 samples nothing.
  Sampler(Scraper scraper, double period_s) : scraper_(std::move(scraper)), thread_(period_s, [this] { return sample(); }) {}

  Ranges stop();
  std::int64_t cpu_ns() const { return thread_.cpu_ns(); }
  // After stop().
  const std::string& trouble() const { return scraper_.trouble(); }

 private:
  bool sample();

  Scraper scraper_;
  Ranges ranges_;
  Periodic thread_;  // last: it uses the others
};

}  // namespace orch::load
