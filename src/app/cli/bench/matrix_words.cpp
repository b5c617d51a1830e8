#include "app/cli/bench/matrix_words.hpp"

#include "core/base/text.hpp"
#include "os/system/process.hpp"

#include <algorithm>
#include <cstdlib>

namespace orch::cli {

namespace {

struct Words {
  std::string_view bench, matrix;
};

// Those whose names differ by more than dashes; longer ones before their beginnings.
constexpr Words k_words[] = {
    {"check --url, --protocol, --model and the options of the request, or leave this request out "
     "with --no-first-request",
     "check the server, bench_protocol, bench_model and the parameters of the request"},
    {"give a token with --token-file or --token-env",
     "name the variable with its bearer token under service (token_env: NAME)"},
    {"the token of --token-file or --token-env is not accepted; give another one",
     "it does not accept the token of the variable that token_env names; export the right one"},
    {"give --eos", "set eos: true"},
    {"with --input ", "with inputs: "},
    {"use --protocol openai-chat or openai-completions",
     "use a runner of the OpenAI protocol, such as openai-server"},
    {"use --protocol ", "use bench_protocol: "},
    {"--prompts FILE", "measure: {prompts: NAME}"},
    {"--tokenizer DIR", "the model of the matrix"},
    {"--tokens-per-event N", "tokens_per_event: N"},
    {"--requests", "num_prompts"},
    {"--stop-word", "stop_words"},
    {"--bad-word", "bad_words"},
    {"--input", "inputs"},
    {"--ids", "prompt_ids"},
    {"--url", "service: url"},
    {"--protocol", "bench_protocol"},
    {"--model", "bench_model"},
    {"--metrics-url", "metrics_path"},
    {"--token-env", "service: token_env"},
    {"--header", "service: headers"},
    {"--prompts", "measure: prompts"},
    {"--tokenizer", "the tokenizer of the model"},
    {"--warmup", "measure: warmup"},
    {"--seed", "measure: seed"},
    {"--wake-lag-ms-limit", "measure: limits: wake_lag_ms"},
    {"--send-lag-ms-limit", "measure: limits: send_lag_ms"},
    {"--client-cpu-limit", "measure: limits: client_cpu_share"},
};

bool is_in_option(char c) { return is_letter_or_digit(c) || c == '-'; }

// The option that begins at AT of TEXT: "--stop-after-ms".
std::string_view option_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_in_option(text[end])) ++end;
  while (text[end - 1] == '-') --end;
  return text.substr(at, end - at);
}

}  // namespace

bool is_stage_of_run() { return std::getenv(system::k_token_variable) != nullptr; }

std::string in_words_of_matrix(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const auto* const known = std::ranges::find_if(k_words, [&](const Words& words) {
      if (!rest.starts_with(words.bench)) return false;
      const bool ends = rest.size() == words.bench.size() ||
                        !is_in_option(rest[words.bench.size()]) ||
                        !is_in_option(words.bench.back());
      return ends && (at == 0 || !is_in_option(message[at - 1]));
    });
    if (known != std::end(k_words)) {
      out += known->matrix;
      at += known->bench.size();
    } else if (rest.starts_with("--") && rest.size() > 2 && is_letter(rest[2]) &&
               (at == 0 || !is_in_option(message[at - 1]))) {
      const std::string_view option = option_at(message, at);
      std::string key(option.substr(2));
      std::replace(key.begin(), key.end(), '-', '_');
      out += key;
      at += option.size();
    } else {
      out += message[at++];
    }
  }
  return out;
}

}  // namespace orch::cli
