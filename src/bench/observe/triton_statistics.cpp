#include "bench/observe/triton_statistics.hpp"

#include "bench/observe/settled_read.hpp"
#include "bench/wire/grpc_call.hpp"
#include "bench/wire/http_get.hpp"

#include <orch_proto/triton_grpc.pb.h>

namespace orch::observe {
namespace {

constexpr const char* k_model_statistics = "/inference.GRPCInferenceService/ModelStatistics";

Spent spent(const inference::StatisticDuration& of) { return {.count = of.count(), .ns = of.ns()}; }

}  // namespace

Result<StatisticsPage> read_statistics_http(const wire::Url& server, const wire::Access& access) {
  wire::Url url = server;
  url.path += "/v2/models/stats";
  ORCH_ASSIGN(const wire::Page page, wire::http_page(url, k_page_timeout_ms, access));
  const bool has_none = page.status >= 400 && page.status < 500;
  if (page.status != 200)
    return Error{.kind = has_none ? ErrorKind::not_found : ErrorKind::unavailable,
                 .message = fmt::format("{} answered HTTP {}", url.text(), page.status),
                 .where = {}};
  return parse_model_statistics(page.body);
}

Result<StatisticsPage> read_statistics_grpc(const wire::Url& server, const wire::Access& access) {
  ORCH_ASSIGN(const std::string answer,
              wire::grpc_call(server, k_model_statistics,
                              inference::ModelStatisticsRequest().SerializeAsString(),
                              k_page_timeout_ms, access));
  inference::ModelStatisticsResponse response;
  if (!response.ParseFromString(answer))
    return Error{.kind = ErrorKind::unavailable,
                 .message = fmt::format("{} answered ModelStatistics with an invalid message",
                                        server.authority()),
                 .where = {}};
  StatisticsPage page;
  for (const inference::ModelStatistics& model : response.model_stats()) {
    if (page.size() == k_most_models) break;
    if (model.name().empty() || model.name().size() > k_longest_model_name) continue;
    const inference::InferStatistics& stats = model.inference_stats();
    page.push_back({.model = model.name(),
                    .version = model.version(),
                    .inference_count = model.inference_count(),
                    .execution_count = model.execution_count(),
                    .success = spent(stats.success()),
                    .fail = spent(stats.fail()),
                    .queue = spent(stats.queue()),
                    .compute_input = spent(stats.compute_input()),
                    .compute_infer = spent(stats.compute_infer()),
                    .compute_output = spent(stats.compute_output()),
                    .cache_hit = spent(stats.cache_hit()),
                    .cache_miss = spent(stats.cache_miss())});
  }
  return page;
}

}  // namespace orch::observe
