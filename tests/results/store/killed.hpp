// Runs a test of this program in a child process that is killed at a kill point.
#pragma once

#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace orch::sample {

// TEST is the full name of a disabled test; FOLDER reaches it as ORCH_TEST_FOLDER. True: it was
// killed at the HIT-th pass of POINT.
inline bool killed_at(const std::string& point, int hit, const std::string& test,
                      const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("ORCHESTRATE_KILL", (point + ":" + std::to_string(hit)).c_str(), 1);
    setenv("ORCH_TEST_FOLDER", folder.c_str(), 1);
    const std::string filter = "--gtest_filter=" + test;
    execl("/proc/self/exe", "test", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
          filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

// The FOLDER of killed_at() in the child; "" elsewhere.
inline std::string folder_to_be_killed_in() {
  const char* folder = std::getenv("ORCH_TEST_FOLDER");
  return folder ? folder : "";
}

}  // namespace orch::sample
