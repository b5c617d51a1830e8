// One load, measured once: warm-up, then the window, with the threads that observe it. Returns raw
// phases without judging them.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/load/bench_target.hpp"
#include "bench/load/client_cpus.hpp"
#include "bench/load/load_loop.hpp"
#include "bench/load/request_supply.hpp"
#include "bench/observe/server_watch.hpp"
#include "core/base/result.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::load {

// What all loads of a benchmark share. Everything is borrowed.
struct RunContext {
  const BenchOptions& options;
  BenchTarget& target;
  const RequestSupply& supply;
  const std::atomic<bool>& stopped;
  const Progress& progress;
  ClientCpus& cpus;      // the same for all loads
  FirstRequests& first;  // sent before the first load
};

// The loop's options for the requests of CONTEXT. They stop a request by closing its stream.
LoadLoop::Options loop_options_of(const RunContext& context);

struct RawRun {
  LoadLoop::Phase warmup;
  LoadLoop::Phase measured;  // its client health covers all client threads
  observe::ServerReport server;
  std::int64_t wall_start_ns = 0;     // start of the window, since the epoch
  bool stopped_early = false;         // the precision target was reached
  std::vector<std::string> warnings;  // about first requests and stop requests
};

// Measures load LOAD. Fails if the server cannot be reached, or if interrupted before any measured
// request has ended; a window that is interrupted later is returned.
Result<RawRun> run_load(const RunContext& context, std::size_t load);

// The error of a benchmark that was interrupted after measuring MEASURED loads.
Error interrupted_error(const BenchOptions& options, std::size_t measured);

}  // namespace orch::load
