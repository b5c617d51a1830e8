// The encoded forms in which a secret value may appear in a log. Knows no log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::execute {

// Shorter values ("1", "false", "8000") are not searched for: they occur in every log by chance,
// and redacting every occurrence would reveal them.
inline constexpr std::size_t k_shortest_secret = 6;

// SECRET itself and its encodings: base64 at each alignment and in both alphabets,
// percent-encoding, JSON and shell quoting. Without duplicates and forms shorter than
// k_shortest_secret; empty when SECRET is shorter.
std::vector<std::string> secret_forms(const std::string& secret);

// Whether the name of a variable suggests a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, DB_PASSWORD,
// but not TOKENIZERS_PARALLELISM or MAX_TOKENS.
bool names_a_secret(std::string_view variable);

}  // namespace orch::execute
