#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "execute/guardian.hpp"

#include <sys/stat.h>

namespace orch::cli {

std::optional<int> guardian_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "guardian") return std::nullopt;
  struct stat status {};
  if (::fstat(execute::k_guardian_control, &status) == 0 && S_ISSOCK(status.st_mode))
    return execute::serve_as_guardian(execute::k_guardian_control);
  say(stderr,
      "'orchestrate guardian' is started by 'orchestrate run'; it cannot be used by itself\n");
  return 2;
}

}  // namespace orch::cli
