#include "app/cli/other_options.hpp"

namespace orch::cli {

namespace {

struct OtherOption {
  std::string_view there, here;
};

constexpr OtherOption k_other_options[] = {
    {"-b", "--batch N"},
    {"-i", "--protocol, such as triton-grpc"},
    {"-m", "--model NAME"},
    {"-u", "--url URL"},
    {"--backend", "--protocol, such as openai-chat"},
    {"--base-url", "--url URL"},
    {"--concurrency-range", "--concurrency 1,2,4"},
    {"--dataset-path", "--prompts FILE"},
    {"--endpoint", "--url and --protocol, such as openai-chat"},
    {"--endpoint-type", "--protocol, such as openai-chat"},
    {"--input-data", "--prompts FILE"},
    {"--input-file", "--prompts FILE"},
    {"--max-concurrency", "--concurrency N"},
    {"--measurement-interval", "--duration S"},
    {"--num-prompts", "--requests N"},
    {"--output-tokens-mean", "--osl N"},
    {"--output-tokens-stddev", "--osl N:SD"},
    {"--profile-export-file", "--export genai-perf"},
    {"--random-input-len", "--isl N"},
    {"--random-output-len", "--osl N"},
    {"--request-count", "--requests N"},
    {"--request-rate-range", "--request-rate 10,20"},
    {"--server-metrics-url", "--metrics-url URL"},
    {"--service-kind", "--protocol, such as openai-chat or triton-grpc"},
    {"--stability-percentage", "--until METRIC:PERCENT"},
    {"--synthetic-input-tokens-mean", "--isl N"},
    {"--synthetic-input-tokens-stddev", "--isl N:SD"},
    {"--token", "--token-file FILE or --token-env NAME"},
    {"--warmup-request-count", "--warmup N"},
};

}  // namespace

std::string_view option_here(std::string_view option) {
  for (const OtherOption& row : k_other_options)
    if (row.there == option) return row.here;
  return "";
}

}  // namespace orch::cli
