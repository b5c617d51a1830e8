// Which point of the experiment `bench` a load is, for the store of --db. Another model, load or
// request makes another point; not the seed, the prompts' block, or how many requests measure it.
#pragma once

#include <map>
#include <string>

#include "cli/bench_options.hpp"
#include "matrix/parameter.hpp"

namespace orch::cli {

struct BenchPoint {
  std::string name;  // "llama_c8_isl512_osl128-3e85b3": what a person would call it, and a part of
                     // the digest of its parameters
  std::map<std::string, matrix::Value> parameters;
};

BenchPoint bench_point(const BenchCommand& command, const record::Load& load);

}  // namespace orch::cli
