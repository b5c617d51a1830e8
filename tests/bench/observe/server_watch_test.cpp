// The watch over a server during a window: statistics, metrics pages, processes, host and GPUs.
#include "bench/observe/server_watch.hpp"

#include "bench/observe/model_statistics.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::observe {
namespace server_watch_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Contains;
using testing::Not;

ServerWatch::Options options(const truth::Server& server) {
  ServerWatch::Options out;
  out.urls = {*wire::parse_url(server.url())};
  out.model = "ensemble";
  out.gpu_sources.open_memory = [] {
    return std::make_unique<system::RealGpuMemory>("libnowhere.so.7");
  };
  out.gpu_sources.open_probe = [] {
    return std::make_unique<system::RealGpuProbe>("libnowhere.so.7");
  };
  return out;
}

ServerWatch make_watch(ServerWatch::Options options) {
  auto watch = ServerWatch::make(std::move(options));
  if (!watch.ok()) throw std::runtime_error(watch.error().message);
  return std::move(*watch);
}

std::string statistics(int requests, const char* model = "ensemble") {
  return fmt::format(
      R"({{"model_stats":[{{"name":"{}","version":"1","inference_count":{},"execution_count":{},"inference_stats":{{"success":{{"count":{},"ns":{}}},)"
      R"("queue":{{"count":{},"ns":{}}}}}}}]}})",
      model, requests, requests, requests, requests * 9'000'000, requests, requests * 2'000'000);
}

truth::Script pages(std::vector<std::string> texts) {
  return [texts = std::move(texts)](const truth::Request& request) {
    const auto number = std::min(static_cast<std::size_t>(request.number), texts.size() - 1);
    return std::make_shared<const truth::Answer>(
        truth::body(200, texts[number], truth::After::close));
  };
}

TEST(ServerWatch, ReadsTheStatisticsOfTheWindowOnceTheySettle) {
  // One read for the baseline, two after the warm-up of 2 requests, and three after the window of 4
  // requests, one of which the server counts late.
  truth::Server server(pages({statistics(10), statistics(12), statistics(12), statistics(15),
                              statistics(16), statistics(16)}));
  auto with = options(server);
  with.statistics = [](const wire::Url& url) { return read_statistics_http(url); };
  ServerWatch watch = make_watch(std::move(with));
  watch.read_baseline();
  watch.begin_window(2);
  const ServerReport report = watch.end_window(4);
  ASSERT_TRUE(report.models);
  ASSERT_EQ(report.models->size(), 1u);
  const ModelTimes& model = report.models->front();
  EXPECT_EQ(model.model, "ensemble");
  EXPECT_EQ(model.requests, 4u);
  EXPECT_DOUBLE_EQ(model.queue_ms.value(), 2);
  EXPECT_DOUBLE_EQ(model.request_ms.value(), 9);
  EXPECT_EQ(server.log().size(), 6u);
  EXPECT_EQ(server.log().front().request.path, "/v2/models/stats");
}

TEST(ServerWatch, RequestsStatisticsOncePerLoadAndWarnsOnlyOfFailures) {
  for (const int status : {404, 200, 503}) {
    truth::Server server(truth::always(truth::body(status, "no", truth::After::close)));
    auto with = options(server);
    with.statistics = [](const wire::Url& url) { return read_statistics_http(url); };
    ServerWatch watch = make_watch(std::move(with));
    for (std::size_t load = 1; load <= 2; ++load) {
      watch.read_baseline();
      watch.begin_window(0);
      const ServerReport report = watch.end_window(4);
      EXPECT_FALSE(report.models);
      if (status == 503) {
        EXPECT_THAT(report.warnings,
                    ElementsAre(fmt::format(
                        "no statistics of the models: {}/v2/models/stats answered HTTP 503",
                        server.url())));
      } else {
        EXPECT_THAT(report.warnings, IsEmpty()) << status;
      }
      EXPECT_EQ(server.log().size(), load);
    }
  }
}

TEST(ServerWatch, RetriesFailedStatisticsInTheNextLoad) {
  // The first load reads a baseline, twice after its warm-up and once after its window; the fourth
  // read fails. The second load reads again.
  for (const int status : {200, 404, 500}) {
    truth::Server server([status](const truth::Request& request) {
      return std::make_shared<const truth::Answer>(
          request.number == 3 ? truth::body(status, "{\"model_stats\":", truth::After::close)
                              : truth::body(200, statistics(1), truth::After::close));
    });
    auto with = options(server);
    with.statistics = [](const wire::Url& url) { return read_statistics_http(url); };
    ServerWatch watch = make_watch(std::move(with));
    watch.read_baseline();
    watch.begin_window(0);
    const ServerReport first = watch.end_window(0);
    EXPECT_FALSE(first.models);
    EXPECT_THAT(first.warnings,
                ElementsAre("no statistics of the models: " +
                            (status == 200 ? "model statistics without a list 'model_stats'"
                                           : fmt::format("{}/v2/models/stats answered HTTP {}",
                                                         server.url(), status))));
    watch.read_baseline();
    watch.begin_window(0);
    const ServerReport second = watch.end_window(0);
    EXPECT_TRUE(second.models);
    EXPECT_THAT(second.warnings, IsEmpty());
  }
}

TEST(ServerWatch, RetriesAFailedMetricsPageInTheNextLoad) {
  truth::Server server([](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        truth::body(request.number == 0 ? 503 : 200, fmt::format("count {}\n", request.number),
                    truth::After::close));
  });
  auto with = options(server);
  with.metrics_urls = {*wire::parse_url(server.url() + "/metrics")};
  with.metrics_interval_s = 0;
  ServerWatch watch = make_watch(std::move(with));
  watch.read_baseline();
  watch.begin_window(0);
  const ServerReport first = watch.end_window(0);
  EXPECT_FALSE(first.before || first.after);
  EXPECT_THAT(first.warnings, ElementsAre(HasSubstr("no server metrics: ")));
  EXPECT_EQ(server.log().size(), 1u) << "one request in the load in which it failed";
  watch.read_baseline();
  watch.begin_window(0);
  const ServerReport second = watch.end_window(0);
  EXPECT_TRUE(second.before && second.after);
  EXPECT_THAT(second.warnings, IsEmpty());
}

TEST(ServerWatch, NotesThatTheServersProcessesAreNotVisible) {
  truth::Server server(truth::always(truth::stream()));
  ServerWatch watch = make_watch(options(server));
  watch.read_baseline();
  for (int window = 0; window < 2; ++window) {
    watch.begin_window(0);
    const ServerReport report = watch.end_window(0);
    EXPECT_FALSE(report.processes)
        << "the server runs in this process, which as the load generator is not counted";
    EXPECT_THAT(report.notes,
                ElementsAre(fmt::format("CPU and memory of the server at port {} are unknown: no "
                                        "process that listens there is visible; "
                                        "it is another user's, or in a container",
                                        server.port())));
  }
}

TEST(ServerWatch, DoesNotLookForProcessesOfARemoteServer) {
  truth::Server server(truth::always(truth::stream()));
  auto with = options(server);
  with.urls = {*wire::parse_url("http://192.0.2.7:8000")};
  ServerWatch watch = make_watch(std::move(with));
  watch.begin_window(0);
  EXPECT_THAT(watch.end_window(0).notes,
              ElementsAre("CPU and memory of 192.0.2.7:8000 are unknown: it "
                          "is not on the loopback of this host"));
}

// --- the host ---

// The report of a window on a host of four CPUs, of which BUSY_S seconds were used in all.
ServerReport report_of_busy_host(const std::string& url, double busy_s, double own_s,
                                 double limit = 0.2, double wall_s = 2) {
  truth::Server server(truth::always(truth::stream()));
  auto with = options(server);
  if (!url.empty()) with.urls = {*wire::parse_url(url)};
  with.others_share = limit;
  with.host_look = [=, looks = 0]() mutable -> system::HostLook {
    const int second_look = looks++ > 0;
    return {.at_s = 100 + second_look * wall_s,
            .own_s = 3 + second_look * own_s,
            .times = system::HostTimes{
                .cpus = 4, .busy_s = 50 + second_look * busy_s, .steal_s = 0.5 * second_look}};
  };
  ServerWatch watch = make_watch(std::move(with));
  watch.begin_window(0);
  return watch.end_window(0);
}

constexpr const char* k_elsewhere = "http://192.0.2.7:8000";

TEST(ServerWatch, WarnsOfOtherProgramsOnTheHost) {
  const ServerReport report = report_of_busy_host(k_elsewhere, 4, 1);
  ASSERT_TRUE(report.host);
  EXPECT_DOUBLE_EQ(report.host->share(report.host->busy_s), 0.5);
  EXPECT_DOUBLE_EQ(report.host->share(report.host->others_s.value()), 0.375);
  EXPECT_DOUBLE_EQ(report.host->share(report.host->steal_s), 0.0625);
  EXPECT_THAT(report.warnings,
              ElementsAre("other programs used 1.5 of 4 cores of this host during the window; "
                          "these include the server if it runs here"));
}

TEST(ServerWatch, DoesNotWarnOfSmallUse) {
  EXPECT_THAT(report_of_busy_host(k_elsewhere, 2.5, 1).warnings, IsEmpty());
  EXPECT_THAT(report_of_busy_host(k_elsewhere, 4, 1, 0.4).warnings, IsEmpty());
}

// Of 4 cores in 0.2 s, a count that is 0.05 s off is 6 %: 50 % are beyond 20 %, 25 % may not be.
TEST(ServerWatch, JudgesAShortWindowWhereItsCountAllowsIt) {
  EXPECT_THAT(report_of_busy_host(k_elsewhere, 0.6, 0.2, 0.2, 0.2).warnings,
              ElementsAre(HasSubstr("other programs used 2.0 of 4 cores")));
  const ServerReport open = report_of_busy_host(k_elsewhere, 0.4, 0.2, 0.2, 0.2);
  EXPECT_THAT(open.warnings, IsEmpty());
  EXPECT_THAT(open.notes, Contains(HasSubstr("was not judged: the window of 0.20 s")));
  EXPECT_THAT(report_of_busy_host(k_elsewhere, 0.2, 0.2, 0.2, 0.2).notes,
              Not(Contains(HasSubstr("not judged"))));
}

TEST(ServerWatch, DoesNotCountAnInvisibleLocalServerAsAnotherProgram) {
  const ServerReport report = report_of_busy_host("", 6, 1);
  ASSERT_TRUE(report.host);
  EXPECT_DOUBLE_EQ(report.host->busy_s, 6);
  EXPECT_FALSE(report.host->others_s);
  EXPECT_THAT(report.warnings, IsEmpty());
}

// --- GPUs ---

class FakeMemory final : public system::GpuMemory {
 public:
  std::vector<system::GpuUse> read() override {
    return {{.index = 0,
             .uuid = "GPU-0",
             .by_uuid = false,
             .memory_gib = 80,
             .used_gib = 1,
             .pids = {}},
            {.index = 1,
             .uuid = "GPU-1",
             .by_uuid = false,
             .memory_gib = 80,
             .used_gib = 1,
             .pids = {}}};
  }
};

class FakeProbe final : public system::GpuProbe {
 public:
  std::vector<system::GpuState> read() override {
    ++reads_;
    std::vector<system::GpuState> states;
    for (int i = 0; i < 2; ++i)
      states.push_back({.index = i,
                        .uuid = fmt::format("GPU-{}", i),
                        .model = "NVIDIA H100",
                        .memory_gib = 80,
                        .used_gib = 10.0 * (i + 1),
                        .power_w = 300,
                        .energy_j = 1000.0 * reads_,
                        .sm_clock_mhz = 1755,
                        .temperature_c = 61,
                        .busy_share = 1,
                        .throttle_reasons = 0});
    return states;
  }

 private:
  int reads_ = 0;
};

TEST(ServerWatch, SamplesTheNamedGpus) {
  truth::Server server(truth::always(truth::stream()));
  auto with = options(server);
  with.gpus = {"1"};
  with.look_interval_s = 0;
  with.gpu_sources.open_memory = [] { return std::make_unique<FakeMemory>(); };
  with.gpu_sources.open_probe = [] { return std::make_unique<FakeProbe>(); };
  ServerWatch watch = make_watch(std::move(with));
  watch.begin_window(0);
  const ServerReport report = watch.end_window(0);
  ASSERT_EQ(report.gpus.size(), 1u);
  EXPECT_EQ(report.gpus[0].uuid, "GPU-1");
  EXPECT_EQ(report.gpus[0].looks, 2) << "one at each end";
  EXPECT_EQ(report.side().gpu_memory_gib_peak, 20);
  EXPECT_EQ(report.side().energy_j, 1000);
}

TEST(ServerWatch, NotesThatTheGpusAreUnknown) {
  truth::Server server(truth::always(truth::stream()));
  auto with = options(server);
  with.gpu_sources.open_memory = [] { return std::make_unique<FakeMemory>(); };
  with.gpu_sources.open_probe = [] { return std::make_unique<FakeProbe>(); };
  ServerWatch watch = make_watch(std::move(with));
  watch.begin_window(0);
  const ServerReport report = watch.end_window(0);
  EXPECT_THAT(report.gpus, IsEmpty());
  EXPECT_EQ(report.side().power_w, std::nullopt);
  EXPECT_EQ(report.notes.back(), "the GPUs of the server are unknown; name them with --gpus");
}

TEST(ServerWatch, RefusesAnUnknownGpu) {
  truth::Server server(truth::always(truth::stream()));
  auto with = options(server);
  with.gpus = {"1", "7"};
  with.gpu_sources.open_memory = [] { return std::make_unique<FakeMemory>(); };
  EXPECT_EQ(ServerWatch::make(std::move(with)).error().message,
            "--gpus 7 is not a GPU of this machine; its GPUs are: 0 (GPU-0), 1 (GPU-1)");
}

TEST(ServerReport, SumsThePowerOfGpusUnlessOneDoesNotReportIt) {
  ServerReport report;
  for (int i = 0; i < 2; ++i) {
    GpuWindow gpu;
    gpu.used_gib_peak = 30 - i;
    gpu.power_w = 200;
    gpu.energy_j = 1000;
    report.gpus.push_back(gpu);
  }
  EXPECT_EQ(report.side().power_w, 400);
  EXPECT_EQ(report.side().energy_j, 2000);
  EXPECT_EQ(report.side().gpu_memory_gib_peak, 30) << "the peak of the GPU with the largest use";
  report.gpus[1].energy_j.reset();
  report.gpus[1].power_w.reset();
  EXPECT_EQ(report.side().power_w, std::nullopt);
  EXPECT_EQ(report.side().energy_j, std::nullopt);
  report.processes =
      system::ServerUse{.wall_s = 2, .cpu_s = 7, .rss_bytes_peak = 3ull << 30, .processes = 2};
  EXPECT_EQ(report.side().cpu_share, 3.5);
  EXPECT_EQ(report.side().memory_gib_peak, 3);
}

}  // namespace server_watch_test
}  // namespace orch::observe
