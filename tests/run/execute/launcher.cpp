// An orchestrator for tests to kill: starts launches through a real executor, prints their handles,
// and dies or waits.
//   launcher PROGRAM FOLDER CONTAINMENT GRACE_S die|wait START...
// START: a line of guardian_message.hpp
#include "core/base/fields_json.hpp"
#include "run/execute/guarded.hpp"
#include "run/execute/guardian_message.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

using namespace orch;

int main(int argc, char** argv) {
  system::RealProcesses processes;
  system::RealFiles files;
  system::RealClock clock;
  const auto executor = execute::make_guarded_executor(
      {processes, files, clock}, {.program = argv[1],
                                  .folder = argv[2],
                                  .grace_s = std::atof(argv[4]),
                                  .containment = parse_name<system::Containment>(argv[3])});
  int running = 0;
  for (int i = 6; i < argc; ++i) {
    const auto start = std::get<execute::Start>(*execute::parse_request(argv[i]));
    const auto handle = executor->start(start.launch);
    if (!handle) return std::fprintf(stderr, "%s\n", handle.error().text().c_str()), 1;
    std::printf("%s\n", to_json_text(*handle).c_str());
    ++running;
  }
  std::fflush(stdout);
  if (std::string(argv[5]) == "die") ::kill(::getpid(), SIGKILL);
  while (running > 0) running -= static_cast<int>(executor->poll(60).size());
  return 0;
}
