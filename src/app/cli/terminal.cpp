#include "app/cli/terminal.hpp"

#include "core/base/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace orch::cli {

std::size_t terminal_columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string fitted(int fd, std::string text) {
  return ::isatty(fd) == 1 ? wrapped(text, terminal_columns(fd)) : text;
}

}  // namespace orch::cli
