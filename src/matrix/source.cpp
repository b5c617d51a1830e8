#include "matrix/source.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace orch::matrix {

std::optional<std::string> local_source_path(std::string_view source) {
  if (!source.starts_with(k_local_scheme)) return std::nullopt;
  return std::string(source.substr(k_local_scheme.size()));
}

bool is_pinned(std::string_view revision) {
  constexpr std::size_t k_sha1 = 40, k_sha256 = 64;
  return (revision.size() == k_sha1 || revision.size() == k_sha256) &&
         std::all_of(revision.begin(), revision.end(),
                     [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string mutable_revision(const std::string& source, const std::string& revision) {
  return source + "@" + (revision.empty() ? "main" : revision);
}

bool needs_resolving(std::string_view source, std::string_view revision) {
  return !source.starts_with(k_local_scheme) && !source.starts_with(k_generated_scheme) &&
         !is_pinned(revision);
}

}  // namespace orch::matrix
