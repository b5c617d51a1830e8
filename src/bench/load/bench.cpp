#include "bench/load/bench.hpp"

#include "bench/load/bench_check.hpp"
#include "bench/load/bench_target.hpp"
#include "bench/load/judgement.hpp"
#include "bench/load/load_run.hpp"
#include "bench/load/request_supply.hpp"

namespace orch::load {

Status run_bench(const BenchOptions& options, const prompt::PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep) {
  ORCH_TRY(check_options(options));
  ORCH_ASSIGN(BenchTarget target, open_target(options, stopped));
  const protocol::Protocol& of_first =
      target.adapter_protocol ? *target.adapter_protocol : *target.protocol;
  ORCH_ASSIGN(const RequestSupply supply,
              RequestSupply::make(options, prompts, *target.protocol, of_first));
  std::vector<std::string> notes = prompts.notices;
  notes.insert(notes.end(), target.notes.begin(), target.notes.end());
  notes.insert(notes.end(), supply.notes().begin(), supply.notes().end());

  ClientCpus cpus(options.host_cpus);
  FirstRequests first;
  const RunContext context{.options = options,
                           .target = target,
                           .supply = supply,
                           .stopped = stopped,
                           .progress = progress,
                           .cpus = cpus,
                           .first = first};
  for (std::size_t i = 0; i < options.loads.size(); ++i) {
    if (stopped.load(std::memory_order_relaxed)) return interrupted_error(options, i);
    if (!options.cpus.empty()) ORCH_TRY(cpus.use(options.cpus));
    Result<RawRun> run = run_load(context, i);
    cpus.leave();
    if (!run.ok()) return i == 0 ? run.error() : run.error().within(options.loads[i].text());
    record::Measurement measurement = judge_run(context, i, std::move(*run), notes);
    measurement.isl_requested = prompts.isl_requested;
    const bool interrupted = measurement.interrupted;
    keep(std::move(measurement));
    if (interrupted) return interrupted_error(options, i);
  }
  return {};
}

}  // namespace orch::load
