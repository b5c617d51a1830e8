// Reads the statistics of all models of a Triton server over either wire. It does not know their
// use.
#pragma once

#include "core/base/result.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::observe {

// GET /v2/models/stats under the URL of SERVER. Errors: not_found when the server has no such page,
// invalid when the page is not statistics, unavailable when it does not answer.
Result<StatisticsPage> read_statistics_http(const wire::Url& server,
                                            const wire::Access& access = {});
// The same by ModelStatistics of the gRPC service at SERVER.
Result<StatisticsPage> read_statistics_grpc(const wire::Url& server,
                                            const wire::Access& access = {});

}  // namespace orch::observe
