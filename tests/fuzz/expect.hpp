// What the entries of the fuzzers do when a property does not hold.
#pragma once

#include "core/base/result.hpp"
#include "core/base/text.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace orch::fuzz {

inline void expect(bool holds, const char* fault, std::string_view input = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s: %.*s\n", fault, static_cast<int>(input.size()), input.data());
  std::abort();
}

// Properties of errors on which every consumer relies.
inline void check_message(const Error& error) {
  constexpr std::size_t k_longest_message = 4000;
  const std::string text = error.text();
  expect(!error.message.empty(), "an error without a message", text);
  expect(error.message.size() < k_longest_message, "an error that is too long", text);
  expect(printable(text) == text, "an error with control characters", text);
}

}  // namespace orch::fuzz
