// The forms in which a secret value may stand in a log. Knows no log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::execute {

// Values shorter than this are not searched for: such a text ("1", "false", "8000") stands in every
// log by chance, and what is blacked out everywhere tells what it was.
inline constexpr std::size_t k_shortest_secret = 6;

// SECRET as it is, and what base64 (wherever it begins, in both alphabets), percent-encoding, JSON
// and shells make of it. None twice, none shorter than k_shortest_secret; nothing of a SECRET that
// is.
std::vector<std::string> secret_forms(const std::string& secret);

// Whether a variable of that name holds a secret by all appearance: HF_TOKEN,
// AWS_SECRET_ACCESS_KEY, DB_PASSWORD. Not TOKENIZERS_PARALLELISM, nor MAX_TOKENS.
bool names_a_secret(std::string_view variable);

}  // namespace orch::execute
