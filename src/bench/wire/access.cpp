#include "bench/wire/access.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace orch::wire {
namespace {

// Shorter tokens protect nothing, and occur in many texts by chance.
constexpr std::size_t k_shortest_secret = 6;
constexpr std::string_view k_blacked = "***";

// TOKEN of "Bearer TOKEN"; the whole value when there is no scheme.
std::string_view secret_of(const Access& access) {
  const std::string_view value = access.authorization;
  return value.substr(value.rfind(' ') + 1);
}

// How many bytes at the end of TEXT are a beginning of SECRET; 0 when too few to reveal anything.
std::size_t cut_off(std::string_view text, std::string_view secret) {
  for (std::size_t size = std::min(text.size(), secret.size() - 1); size >= k_shortest_secret;
       --size)
    if (text.ends_with(secret.substr(0, size))) return size;
  return 0;
}

using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

Stretches find_token(std::string_view text, std::string_view token) {
  Stretches found;
  if (token.size() < k_shortest_secret) return found;
  for (std::size_t at = text.find(token); at != std::string::npos;
       at = text.find(token, at + token.size()))
    found.emplace_back(at, at + token.size());
  if (const std::size_t size = cut_off(text, token); size > 0)
    found.emplace_back(text.size() - size, text.size());
  return found;
}

Stretches find(const Access& access, std::string_view text) {
  return access.secrets ? secret::find_secrets(*access.secrets, text, secret::End::cut)
                        : find_token(text, secret_of(access));
}

}  // namespace

void black_out(const Access& access, std::string& text, std::span<std::size_t> ends) {
  const Stretches found = find(access, text);
  for (auto stretch = found.rbegin(); stretch != found.rend(); ++stretch) {
    const auto [from, to] = *stretch;
    text.replace(from, to - from, k_blacked);
    for (std::size_t& end : ends)
      if (end > from) end = std::max(end, to) - to + from + k_blacked.size();
  }
}

std::string blacked_out(const Access& access, std::string text) {
  black_out(access, text);
  return text;
}

std::string blacked_out_bytes(const Access& access, std::string bytes) {
  for (const auto& [from, to] : find(access, bytes)) bytes.replace(from, to - from, to - from, '*');
  return bytes;
}

}  // namespace orch::wire
