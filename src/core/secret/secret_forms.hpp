// The forms in which a secret value may appear in a text, apart from escapes of single characters.
// Knows no text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::secret {

// Shorter values ("1", "false", "8000") are not searched for: they occur in every log by chance,
// and redacting every occurrence would reveal them.
inline constexpr std::size_t k_shortest_secret = 6;

// SECRET in base64, at each alignment and in both alphabets, and in hexadecimal, in both cases and
// with the usual separators; also of SECRET escaped for JSON and for URLs, and one of these forms
// inside another. A long form is also given without its first characters: a line may be wrapped
// there. Without duplicates and forms shorter than k_shortest_secret; empty when SECRET is shorter.
std::vector<std::string> coded_forms(const std::string& secret);

// Whether the name of a variable suggests a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, DB_PASSWORD,
// but not TOKENIZERS_PARALLELISM or MAX_TOKENS.
bool names_a_secret(std::string_view variable);

}  // namespace orch::secret
