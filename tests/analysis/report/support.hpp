// A store with a complete run, and its reports.
#pragma once

#include "results/query/query.hpp"
#include "results/store/sample.hpp"

namespace orch {

class ReportTest : public testing::Test {
 protected:
  void SetUp() override { sample::complete_run(folder_.path()); }

  store::Store& reader() {
    if (!store_) store_.emplace(sample::open_store(folder_.path(), store::Mode::read));
    return *store_;
  }
  std::string ask(const std::string& query, report::Format format = report::Format::csv) {
    const auto text = report::run_query(reader().database(), query, format);
    return text.ok() ? *text : "error: " + text.error().text();
  }

  sample::TemporaryFolder folder_;
  std::optional<store::Store> store_;
};

}  // namespace orch
