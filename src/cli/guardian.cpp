#include "attempt/readiness.hpp"
#include "cli/commands.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "cluster/job_agent.hpp"
#include "execute/guardian.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace orch::cli {

std::optional<int> guardian_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "guardian") return std::nullopt;
  if (argc == 4 && std::string_view(argv[2]) == "--job") {
    system::RealHost host;
    system::CurlHttp http;
    attempt::HttpReadiness readiness(http, host.clock);
    system::RealPorts ports(fmt::format("/tmp/orchestrate-ports-{}", ::getuid()));
    return cluster::serve_as_job({.host = host.host(),
                                  .children = host.processes.descriptor(),
                                  .readiness = readiness,
                                  .ports = ports,
                                  .environment = real_environment()},
                                 argv[3]);
  }
  struct stat status {};
  if (::fstat(execute::k_guardian_control, &status) == 0 && S_ISSOCK(status.st_mode))
    return execute::serve_as_guardian(execute::k_guardian_control);
  say(stderr,
      "'orchestrate guardian' is started by 'orchestrate run'; it cannot be used by itself\n");
  return 2;
}

}  // namespace orch::cli
