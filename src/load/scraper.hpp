// The metrics pages of the servers under load: read between the phases, and now and then while a window lasts, on a thread
// of its own. A page that fails once is not asked again and leaves a sentence.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "load/metrics_page.hpp"

namespace orch::load {

class Scraper {
 public:
  // Without URLS nothing is ever read.
  explicit Scraper(std::vector<wire::Url> urls, wire::Access access = {}) : urls_(std::move(urls)), access_(std::move(access)) {}

  std::optional<MetricsPage> read();
  // Reads the pages again until they count REQUESTS more answers than FROM and no model has anything left to count, or the
  // time for settling has passed.
  std::optional<MetricsPage> read_settled(const std::optional<MetricsPage>& from, std::int64_t requests);

  const std::string& trouble() const { return trouble_; }

 private:
  std::vector<wire::Url> urls_;
  wire::Access access_;
  std::string trouble_;
};

// Reads pages every PERIOD_S seconds from its making to stop(). One that fails ends the sampling and leaves a sentence.
class Sampler {
 public:
  // A period of 0 samples nothing.
  Sampler(Scraper scraper, double period_s);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  Ranges stop();
  // CPU time that the thread took, after stop(): the generator's own cost.
  std::int64_t cpu_ns() const { return cpu_ns_; }
  // After stop().
  const std::string& trouble() const { return scraper_.trouble(); }

 private:
  void sample();

  Scraper scraper_;
  double period_s_;
  Ranges ranges_;
  std::int64_t cpu_ns_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;  // of stopped_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace orch::load
