#include "run/schedule/demands.hpp"

namespace orch::schedule {

using resources::Request;
using runner::Kind;

namespace {

// Rounded up: stages that write about the same are of one class.
std::uint64_t rounded(std::uint64_t bytes) {
  const std::uint64_t unit = bytes >= 1ULL << 30 ? 1ULL << 30 : 1ULL << 20;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Request request_of(const plan::Stage& stage, matrix::Isolation isolation) {
  Request request;
  request.gpus = static_cast<int>(stage.gpus);
  if (stage.share) {
    // Beside `cpus` it is what a job requests: an expectation, for which nothing waits on one host.
    if (stage.share->cpus == 0) request.memory_gib = stage.share->memory_gib;
    request.tokens = stage.share->tokens;
  }
  const Kind kind = stage.spec.kind;
  // A server would hold it for as long as it is up.
  if (kind == Kind::task) request.disk_bytes = rounded(stage.estimate.needed_bytes);
  const bool has_server = kind == Kind::measure && !stage.needs.empty() && !stage.running;
  if (stage.share && stage.share->cores) {
    request.which = Request::Cores::counted;
    request.cores = *stage.share->cores;
  } else if (isolation == matrix::Isolation::gpu && !has_server && !stage.spec.server) {
    request.which = request.gpus > 0     ? Request::Cores::by_gpus
                    : kind == Kind::task ? Request::Cores::shared
                                         : Request::Cores::all;
  }
  request.with_client = kind == Kind::service;
  return request;
}

Demands::Demands(const plan::Plan& plan) {
  std::map<Request, Class> known;
  classes_.reserve(plan.stages.size());
  for (const plan::Stage& stage : plan.stages) {
    const Request request = request_of(stage, plan.isolation);
    const auto [at, is_new] = known.try_emplace(request, static_cast<Class>(requests_.size()));
    if (is_new) requests_.push_back(request);
    classes_.push_back(at->second);
  }
}

Request Demands::of(const std::vector<Index>& batch) const {
  Request request = of(batch.front());
  for (std::size_t i = 1; i < batch.size(); ++i) request.disk_bytes += of(batch[i]).disk_bytes;
  return request;
}

}  // namespace orch::schedule
