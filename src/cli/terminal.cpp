#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace orch::cli {

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace orch::cli
