// A store with two experiments that share a build and a server, for the tests of src/results/keep.
#pragma once

#include "results/keep/inventory.hpp"
#include "results/store/sample.hpp"

namespace orch {

class KeepTest : public testing::Test {
 protected:
  // A complete run whose server ended, or runs still.
  void run(const sample::Shape& shape = {}, double ttft_ms = 10, bool server_ends = true) {
    store::Store store = sample::open_store(store_.path());
    run(store, sample::make_plan(shape), ttft_ms, server_ends);
  }
  static void run(store::Store& store, const plan::Plan& plan, double ttft_ms, bool server_ends) {
    sample::Driver driver(store, plan);
    driver.run_build();
    const sample::AttemptKey session = driver.run_serve();
    for (std::size_t nth = 0; nth < plan.points.size(); ++nth)
      driver.run_bench(nth, session, sample::measurement(ttft_ms + static_cast<double>(nth), 100));
    if (server_ends) driver.end(session);
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  // "quick" has concurrency 1 and 4, "other" 1 and 8: they share the measurement of 1. The server
  // of "quick" has no recorded end.
  void two_experiments(bool server_ends = true) {
    run({}, 10, server_ends);
    store::Store store = sample::open_store(store_.path());
    sample::Driver driver(store,
                          sample::make_plan({.experiment = "other", .concurrencies = {1, 8}}));
    const sample::AttemptKey session = driver.run_serve();
    driver.end(session);
    driver.run_bench(1, session, sample::measurement(8, 80));
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  sample::Rows rows(const std::string& sql) { return sample::rows(store_.path(), sql); }
  std::vector<keep::Item> items(const keep::InventoryOptions& options = {}) {
    store::Store store = sample::open_store(store_.path(), store::Mode::read);
    auto found = keep::inventory(store, files_, options);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found.ok() ? *found : std::vector<keep::Item>();
  }
  // "output artifacts/build-1: why" of what is not needed.
  static sample::Rows unneeded(const std::vector<keep::Item>& all) {
    sample::Rows out;
    for (const keep::Item& item : all)
      if (!item.is_needed)
        out.push_back(fmt::format("{} {}: {}", to_string(item.kind), item.path, item.why));
    return out;
  }
  Status forget(const std::string& experiment) {
    store::Store store = sample::open_store(store_.path());
    const auto forgotten = keep::forget(store, experiment, 1'800'000'000);
    return forgotten ? Status() : Status(forgotten.error());
  }
  Result<keep::Collected> collect(const keep::InventoryOptions& options = {}) {
    store::Store store = sample::open_store(store_.path());
    ORCH_ASSIGN(const auto all, keep::inventory(store, files_, options));
    return keep::collect(store, all, 1'800'000'000);
  }
  std::vector<std::string> folders(const std::string& below) {
    auto names = files_.names((store_.path() / below).string());
    return names ? *names : std::vector<std::string>();
  }

  system::RealFiles files_;
  sample::TemporaryFolder store_;
};

}  // namespace orch
