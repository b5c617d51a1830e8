#include "app/session/identities/runner_files.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace orch::session {

namespace {

constexpr std::string_view k_lock = ".lock";

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// "cp313" of /usr/bin/python3.13; "" if the name has no version.
std::string tag_of(std::string_view interpreter) {
  constexpr std::string_view k_name = "python3.";
  const std::size_t at = interpreter.rfind(k_name);
  if (at == interpreter.npos) return "";
  const std::string_view minor = interpreter.substr(at + k_name.size());
  return minor.empty() || !std::ranges::all_of(minor, is_digit) ? "" : "cp3" + std::string(minor);
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

std::vector<std::string> locks_read(const std::string& lock, const std::vector<std::string>& names,
                                    std::string_view interpreter, std::string_view processor) {
  const std::filesystem::path path(lock);
  const std::string stem = path.stem().string(), tag = tag_of(interpreter);
  const auto beside = [&](const std::string& name) { return path.parent_path() / name; };
  std::vector<std::string> all{lock};
  if (tag.empty()) {
    for (const std::string& name : names)
      if (name.starts_with(stem + ".cp") && name.ends_with(k_lock)) all.push_back(beside(name));
    return all;
  }
  for (const std::string& name : {fmt::format("{}.{}-{}{}", stem, tag, processor, k_lock),
                                  fmt::format("{}.{}{}", stem, tag, k_lock)})
    if (std::ranges::find(names, name) != names.end()) return {beside(name)};
  return all;
}

}  // namespace orch::session
