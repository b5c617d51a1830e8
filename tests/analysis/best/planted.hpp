// A store of one experiment with a point for each concurrency, measured in sessions of one server.
#pragma once

#include "analysis/best/choice.hpp"
#include "analysis/best/confirm.hpp"
#include "results/query/table.hpp"
#include "results/store/sample.hpp"

namespace orch::best {

struct PlantedPoint {
  int concurrency = 1;
  std::vector<double> tps;  // of each session
  double p99 = 20;
  std::optional<double> p99_low = 18, p99_high = 24;
  std::optional<double> requests = {};
  double half = 1;  // of the interval of the throughput; 0: it has none
  std::string warning{};
  bool unsupported = false, valid = true;
};

inline nlohmann::json measured_of(const PlantedPoint& point, double tps) {
  nlohmann::json out = sample::measurement(10, tps);
  auto& ttft = out["metrics"]["ttft_ms"];
  ttft["p99"] = point.p99;
  if (point.p99_low) ttft["p99_interval_low"] = *point.p99_low;
  if (point.p99_high) ttft["p99_interval_high"] = *point.p99_high;
  if (point.requests) ttft["n"] = *point.requests;
  out["metrics"]["output_tps"] = {{"mean", tps}};
  if (point.half > 0) {
    out["metrics"]["output_tps"]["interval_low"] = tps - point.half;
    out["metrics"]["output_tps"]["interval_high"] = tps + point.half;
  }
  out["metrics"]["input_tps"] = 3 * tps;
  out["metrics"]["requests_per_s"] = tps / 32;
  if (!point.warning.empty()) out["warnings"] = {point.warning};
  if (point.unsupported) out["unsupported"] = {"ttft_ms_p99"};
  if (!point.valid) {
    out["valid"] = false;
    out["reasons"] = {"the client was saturated"};
  }
  return out;
}

inline void plant(store::Store& store, const std::vector<PlantedPoint>& points,
                  const store::RunInfo& info = sample::run_info()) {
  sample::Shape shape{.concurrencies = {}, .repeats = static_cast<int>(points[0].tps.size())};
  for (const PlantedPoint& point : points) shape.concurrencies.push_back(point.concurrency);
  sample::Driver driver(store, sample::make_plan(shape), info);
  const std::size_t sessions = points[0].tps.size();
  for (std::size_t session = 0; session < sessions; ++session) {
    const auto server = driver.run_serve();
    for (std::size_t i = 0; i < points.size(); ++i)
      driver.run_bench(i * sessions + session, server,
                       measured_of(points[i], points[i].tps[session]));
    driver.end(server);
    driver.now += 120;
  }
  driver.commit();
  driver.finish(store::Outcome::done);
}

class BestTest : public testing::Test {
 protected:
  sql::Database& database() {
    if (!store_) store_.emplace(sample::open_store(folder_.path()));
    return store_->database();
  }
  void have(const std::vector<PlantedPoint>& points) {
    database();
    plant(*store_, points);
  }
  Result<Question> question(const Asked& asked) {
    return question_of(
        asked, report::column_names(database(), "results"),
        report::first_column(database(), "SELECT name FROM wide_column WHERE parameter = 1"));
  }
  Choice chosen(const Asked& asked) {
    const auto asked_for = question(asked);
    EXPECT_TRUE(asked_for.ok()) << asked_for.error().text();
    if (!asked_for) return {};
    auto out = choose(database(), *asked_for);
    EXPECT_TRUE(out.ok()) << out.error().text();
    return out ? std::move(*out) : Choice();
  }
  std::string told(const Asked& asked, const Said& said = {}) {
    const auto asked_for = question(asked);
    return asked_for ? choice_text(*asked_for, chosen(asked), said) : asked_for.error().text();
  }
  // "c8 c4 c1" of the rows of a group, the best first.
  static std::string order_of(const Group& group) {
    std::string out;
    for (const Ranked& ranked : group.rows) {
      const std::string& name = ranked.row.point;
      const std::size_t from = name.find("_c") + 1;
      out += (out.empty() ? "" : " ") + name.substr(from, name.find('-') - from);
    }
    return out;
  }

  sample::TemporaryFolder folder_;
  std::optional<store::Store> store_;
};

}  // namespace orch::best
