#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "prompt/prompt_jobs.hpp"
#include "system/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace orch::cli {

namespace {

constexpr int k_wrong_usage = 2;
constexpr int k_cannot_run = 126;
constexpr int k_first_word = 3;  // of the command that follows the job file

}  // namespace

std::optional<int> prompts_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "prompts") return std::nullopt;
  if (argc <= k_first_word) {
    say(stderr,
        "'orchestrate prompts JOBS COMMAND...' is run by the stages of a runner; the command that "
        "makes prompts is missing\n");
    return k_wrong_usage;
  }
  system::RealFiles files;
  if (const Status prepared = prompt::prepare_prompt_jobs(argv[2], files); !prepared.ok()) {
    say(stderr, "{}\n", prepared.error().text());
    return 1;
  }
  ::execvp(argv[k_first_word], argv + k_first_word);
  say(stderr, "cannot run '{}': {}\n", argv[k_first_word], std::strerror(errno));
  return k_cannot_run;
}

}  // namespace orch::cli
