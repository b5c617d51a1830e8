#include "run/attempt/readiness.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "run/slurm/job_agent.hpp"
#include "run/execute/guardian.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace orch::cli {

namespace {

// What the lines of the site have changed: FD has the environment ahead of them.
slurm::SiteVariables site_variables(const char* fd) {
  if (!fd) return {};
  const system::Descriptor pipe(std::atoi(fd));
  std::string text;
  char block[4096];
  for (ssize_t got; (got = ::read(pipe.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  return slurm::changed_variables(slurm::parse_variables(text), real_environment());
}

// The first process of a job of a cluster. BEFORE: see site_variables(); or nullptr.
int job_main(const std::string& folder, const char* first_port, const char* last_port,
             const char* before) {
  const std::string who = system::new_token();
  const slurm::SiteVariables site = site_variables(before);
  const auto code = slurm::run_in_child([&] {
    system::RealHost host;
    system::CurlHttp http;
    attempt::HttpReadiness readiness(http, host.clock);
    system::RealPorts ports({std::atoi(first_port), std::atoi(last_port)},
                            std::hash<std::string>()(who));
    slurm::NodeRemains remains(fmt::format("/tmp/orchestrate-jobs-{}", ::getuid()));
    return slurm::serve_as_job({.host = host.host(),
                                .children = host.processes.descriptor(),
                                .readiness = readiness,
                                .ports = ports,
                                .remains = remains,
                                .environment = real_environment(),
                                .site = site,
                                .who = who},
                               folder);
  });
  if (code) return *code;
  system::RealHost host;
  slurm::settle_dead_agent(host.host(), real_environment(), who, folder);
  return 1;
}

}  // namespace

std::optional<int> guardian_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "guardian") return std::nullopt;
  if (argc >= 6 && std::string_view(argv[2]) == "--job")
    return job_main(argv[3], argv[4], argv[5], argv[6]);
  struct stat status {};
  if (::fstat(execute::k_guardian_control, &status) == 0 && S_ISSOCK(status.st_mode))
    return execute::serve_as_guardian(execute::k_guardian_control);
  say(stderr,
      "'orchestrate guardian' is started by 'orchestrate run'; it cannot be used by itself\n");
  return 2;
}

}  // namespace orch::cli
