#include "wire/access.hpp"

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

}  // namespace

void black_out(const Access& access, std::string& text, std::span<std::size_t> ends) {
  const std::string_view secret = secret_of(access);
  if (secret.size() < k_shortest_secret) return;
  for (std::size_t at = text.find(secret); at != std::string::npos;
       at = text.find(secret, at + k_blacked.size())) {
    text.replace(at, secret.size(), k_blacked);
    const std::size_t shorter = secret.size() - k_blacked.size();
    for (std::size_t& end : ends)
      if (end > at) end = std::max(end, at + secret.size()) - shorter;
  }
  if (const std::size_t size = cut_off(text, secret); size > 0) {
    text.replace(text.size() - size, size, k_blacked);
    for (std::size_t& end : ends) end = std::min(end, text.size());
  }
}

std::string blacked_out(const Access& access, std::string text) {
  black_out(access, text);
  return text;
}

std::string blacked_out_bytes(const Access& access, std::string bytes) {
  const std::string_view secret = secret_of(access);
  if (secret.size() < k_shortest_secret) return bytes;
  for (std::size_t at = bytes.find(secret); at != std::string::npos; at = bytes.find(secret, at))
    bytes.replace(at, secret.size(), secret.size(), '*');
  return bytes;
}

}  // namespace orch::wire
