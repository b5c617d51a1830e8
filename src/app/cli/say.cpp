#include "app/cli/say.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace orch::cli {

void draw(std::FILE* stream, const std::string& text) {
  std::fputs(text.c_str(), stream);
  std::fflush(stream);
}

void say_text(std::FILE* stream, const std::string& text) {
  std::string shown = printable(text);
  draw(stream, stream == stderr ? fitted(STDERR_FILENO, std::move(shown)) : shown);
}

std::string safe_for(std::FILE* stream, const std::string& text) {
  return ::isatty(::fileno(stream)) == 1 ? printable(text) : text;
}

void print_errors(const Errors& errors) {
  for (const Error& error : errors) say(stderr, "{}\n", error.text());
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say(stderr, "warning: {}\n", warning);
}

std::size_t terminal_columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string fitted(int fd, std::string text) {
  return ::isatty(fd) == 1 ? wrapped(text, terminal_columns(fd)) : text;
}

}  // namespace orch::cli
