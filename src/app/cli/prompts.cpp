#include "core/base/packed.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/say.hpp"
#include "bench/prompt/prompt_jobs.hpp"
#include "bench/prompt/prompt_rows.hpp"
#include "os/system/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace orch::cli {

namespace {

constexpr int k_wrong_usage = 2;
constexpr int k_cannot_make = 126;
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
  return k_cannot_make;
}

std::optional<int> unpack_main(int argc, char** argv) {
  if (argc != k_first_word || std::string_view(argv[1]) != "unpack") return std::nullopt;
  system::RealFiles files;
  Unpacking text([&](std::uint64_t offset,
                     std::size_t most) { return files.read_block(argv[2], offset, most); },
                 prompt::k_largest_prompt_file);
  for (;;) {
    const auto some = text.next();
    if (!some) {
      say(stderr, "{}: {}\n", argv[2], some.error().text());
      return 1;
    }
    if (some->empty()) return std::fflush(stdout) == 0 ? 0 : 1;
    if (std::fwrite(some->data(), 1, some->size(), stdout) != some->size()) return 1;
  }
}

}  // namespace orch::cli
