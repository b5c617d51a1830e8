#include "app/cli/tools/run_tool.hpp"

#include "core/base/text.hpp"
#include "app/cli/real_world.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace orch::cli {
namespace {

constexpr int k_signal_base = 128;  // of a shell's statuses, as the next
constexpr int k_not_started = 126;

struct Pipe {
  int read = -1, write = -1;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("open", "a pipe", errno);
  return Pipe{ends[0], ends[1]};
}

// In the child: never returns.
[[noreturn]] void become(const std::vector<std::string>& argv, const std::string& folder,
                         int output) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (::dup2(output, STDOUT_FILENO) >= 0 && ::chdir(folder.c_str()) == 0)
    ::execvp(words[0], words.data());
  const std::string why = fmt::format("cannot run {}: {}\n", quoted(argv[0]), std::strerror(errno));
  static_cast<void>(::write(STDERR_FILENO, why.data(), why.size()) < 0);
  ::_exit(k_not_started);
}

// Copies what comes from INPUT to standard output and to FILE until it ends.
Status tee(int input, system::OpenFile& file) {
  std::array<char, 64 << 10> buffer{};
  Status kept;
  while (true) {
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return kept;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
    std::fflush(stdout);
    if (kept) kept = file.append(text);
  }
}

}  // namespace

Result<int> run_tool(const std::vector<std::string>& argv, const std::string& folder,
                     const std::string& kept) {
  std::vector<std::string> words = argv;
  // The program runs in another folder.
  if (words[0].find('/') != std::string::npos)
    words[0] = std::filesystem::absolute(words[0]).string();
  ORCH_TRY(real_host().files.remove_tree(kept));
  ORCH_ASSIGN(const auto file, real_host().files.open(kept));
  ORCH_ASSIGN(const Pipe pipe, make_pipe());
  const pid_t child = ::fork();
  if (child < 0) return io_error("start", words[0], errno);
  if (child == 0) become(words, folder, pipe.write);
  ::close(pipe.write);
  const Status shown = tee(pipe.read, *file);
  ::close(pipe.read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return io_error("wait for", words[0], errno);
  if (!shown) return shown.error();
  return WIFSIGNALED(status) ? k_signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace orch::cli
