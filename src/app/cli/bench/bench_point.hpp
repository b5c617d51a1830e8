// The point of the experiment `bench` for a load, for the store of --db. It depends on the model,
// the load and the kind of requests, but not on the seed, the block of prompts or the number of
// requests.
#pragma once

#include <map>
#include <string>

#include "app/cli/bench/bench_options.hpp"
#include "spec/matrix/parameter.hpp"

namespace orch::cli {

struct BenchPoint {
  // "llama_c8_isl512_osl128-3e85b3": a readable part and a prefix of the parameters' digest.
  std::string name;
  std::map<std::string, matrix::Value> parameters;
};

BenchPoint bench_point(const BenchCommand& command, const record::Load& load);

}  // namespace orch::cli
