#include "app/session/identities/runner_files.hpp"

#include "core/base/text.hpp"

#include <sstream>

namespace orch::session {

namespace {

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

std::map<std::string, std::string> read_equivalents(std::string_view text) {
  std::map<std::string, std::string> equivalents;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    std::string path, content, in_digests;
    words >> path >> content >> in_digests;
    if (path.starts_with('#') || !is_sha256(content)) continue;
    if (in_digests == "-") equivalents[content] = "";
    else if (is_sha256(in_digests)) equivalents[content] = in_digests;
  }
  return equivalents;
}

}  // namespace orch::session
