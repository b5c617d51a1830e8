#include "run/execute/guardian.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "bench/wire/channel.hpp"
#include "bench/wire/endpoint.hpp"
#include "run/attempt/readiness.hpp"
#include "run/slurm/job_agent.hpp"

#include <cerrno>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace orch::cli {

namespace {

// The variables that the site's lines of the job script changed. The environment before these lines
// can be read from the descriptor FD; empty if FD is null.
slurm::SiteVariables site_variables(const char* fd) {
  if (!fd) return {};
  const system::Descriptor pipe(std::atoi(fd));
  std::string text;
  char block[4096];
  for (ssize_t got; (got = ::read(pipe.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  return slurm::changed_variables(slurm::parse_variables(text), real_environment());
}

// Runs as the first process of a cluster job. BEFORE: FD of site_variables(); may be null.
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
  return status_of(Exit::failed);
}

// `orchestrate watch-server`: the process that represents a server that was already running. It
// opens a connection from time to time, without sending anything, and ends once no connection is
// accepted.

constexpr int k_within_ms = 2000;
constexpr auto k_period = std::chrono::milliseconds(250);
constexpr int k_most_silences = 3;  // in a row; a refused connection is final at once

// Returns when no address of URL accepts a connection.
Error watch(const wire::Url& url) {
  int silences = 0;
  while (true) {
    const auto endpoints = wire::addresses_of(url);
    Error lost;
    bool refused = false, reached = false;
    if (endpoints) {
      for (const wire::Endpoint& endpoint : *endpoints) {
        const int error = wire::try_connect(endpoint, k_within_ms);
        if ((reached = error == 0)) break;
        refused = error == ECONNREFUSED;
        lost = wire::connect_error(endpoint, error);
      }
    } else {
      lost = endpoints.error();
    }
    silences = reached ? 0 : silences + 1;
    if ((refused && !reached) || silences >= k_most_silences) return lost;
    std::this_thread::sleep_for(k_period);
  }
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
  return status_of(Exit::refused);
}

std::optional<int> watch_server_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "watch-server") return std::nullopt;
  const auto url = argc == 3 ? wire::parse_url(argv[2])
                             : Result<wire::Url>(invalid(
                                   "'orchestrate watch-server' takes the URL of a running server; "
                                   "'orchestrate run' calls it"));
  if (!url) {
    say(stderr, "{}\n", url.error().text());
    return status_of(Exit::refused);
  }
  say(stderr, "watching {}, which is already running; nothing is started\n", url->text());
  say(stderr, "{}\n", watch(*url).text());
  return status_of(Exit::failed);
}

}  // namespace orch::cli
