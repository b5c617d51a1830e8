#include "app/session/execution.hpp"

#include "run/slurm/server_ranks.hpp"
#include "run/slurm/slurm_executor.hpp"

namespace orch::session {

namespace {

constexpr double k_gather_s = 0.05;

class NoGpus final : public system::GpuMemory {
 public:
  std::vector<system::GpuUse> read() override { return {}; }
};

Execution on_this_host(const ExecutionParts& parts, const std::string& guardians) {
  World& world = parts.world;
  const Experiment& experiment = parts.experiment;
  return {.executor = world.make_executor({.program = parts.layout.orchestrate,
                                           .folder = guardians,
                                           .grace_s = experiment.site.grace_s,
                                           .containment = experiment.site.containment,
                                           .log_level = parts.log_level,
                                           .secrets = parts.secrets}),
          .host = experiment.machine.host,
          .open_gpu_memory = [&world,
                              &choice = experiment.gpus]() -> std::unique_ptr<system::GpuMemory> {
            auto all = world.open_gpu_memory();
            if (!choice.is_made()) return all;
            return std::make_unique<system::ChosenGpuMemory>(std::move(all), choice.indices());
          },
          .open_ports = [&world, ports = experiment.site.ports] { return world.open_ports(ports); },
          .open_readiness =
              [&world](system::Http& http) {
                return std::make_unique<attempt::HttpReadiness>(http, world.clock);
              },
          .places = {}};
}

std::unique_ptr<execute::Executor> slurm_executor(const ExecutionParts& parts) {
  World& world = parts.world;
  const SlurmSite& site = parts.experiment.site.slurm;
  const auto tell = [&reporter = parts.reporter](const std::string& text) {
    reporter.report(Severity::warning, text);
  };
  const auto variables = slurm::slurm_environment(world.environment);
  return std::make_unique<slurm::SlurmExecutor>(
      world.files, world.clock,
      std::make_unique<slurm::RealSlurm>(world.processes, world.clock, variables),
      slurm::SlurmOptions{.store = std::filesystem::absolute(parts.layout.store).string(),
                          .submit = {.program = parts.layout.orchestrate,
                                     .words = site.words,
                                     .extra = site.lines,
                                     .most_in_array = static_cast<std::size_t>(site.most_in_array),
                                     .ports = parts.experiment.site.ports,
                                     .gather_s = k_gather_s,
                                     .tell = tell},
                          .gres = site.gres,
                          .log_level = parts.log_level,
                          .tell = tell});
}

Execution as_jobs(const ExecutionParts& parts) {
  World& world = parts.world;
  return {.executor = slurm_executor(parts),
          .host = std::string(parts.experiment.options.placement.reached_as),
          .open_gpu_memory = [] { return std::make_unique<NoGpus>(); },
          .open_ports = [] { return std::make_unique<slurm::JobPorts>(); },
          .open_readiness =
              [&world, store = parts.layout.store](system::Http&) {
                return std::make_unique<slurm::JobReadiness>(
                    slurm::OrchestratorFiles(world.files, store), world.clock);
              },
          .places = place_options(parts.experiment.site)};
}

}  // namespace

Result<Execution> make_execution(const ExecutionParts& parts) {
  const std::string guardians = parts.layout.store + "/guardians";
  ORCH_TRY(parts.world.files.make_folder(guardians));
  return parts.experiment.options.placement.shares_host ? on_this_host(parts, guardians)
                                                        : as_jobs(parts);
}

}  // namespace orch::session
