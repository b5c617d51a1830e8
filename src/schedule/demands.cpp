#include "schedule/demands.hpp"

namespace orch::schedule {

using resources::Request;
using runner::Kind;

Request request_of(const plan::Stage& stage, matrix::Isolation isolation) {
  Request request;
  request.gpus = static_cast<int>(stage.gpus);
  if (stage.share) {
    request.memory_gib = stage.share->memory_gib;
    request.tokens = stage.share->tokens;
  }
  const Kind kind = stage.spec.kind;
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

}  // namespace orch::schedule
