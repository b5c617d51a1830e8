// The speed of the redactor: bytes per second of feed() for lines of a log and for lines of JSON,
// which have more quotes and escapes.
#include "core/secret/redact.hpp"

#include <cstdio>
#include <ctime>
#include <string>

using namespace orch;

namespace {

std::string repeated(std::string_view line, std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += fmt::format(fmt::runtime(line), i, i * 7919);
  return text;
}

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const char* name, const std::string& text, int secrets) {
  std::vector<std::string> values;
  for (int i = 0; i < secrets; ++i) values.push_back(fmt::format("hf-{}s3cr/et+{}", i * 7919, i));
  const double begin_s = cpu_s();
  secret::Redactor redactor(values);
  const double made_s = cpu_s();
  constexpr std::size_t k_block = 16 << 10;
  std::size_t out = 0;
  for (std::size_t at = 0; at < text.size(); at += k_block)
    out += redactor.feed(std::string_view(text).substr(at, k_block)).size();
  out += redactor.finish().size();
  const double end_s = cpu_s();
  std::printf("%-6s %3d secrets: %6.0f MB/s, made in %.2f ms%s\n", name, secrets,
              static_cast<double>(text.size()) / (end_s - made_s) / 1e6, (made_s - begin_s) * 1e3,
              out == text.size() ? "" : ", something was redacted");
}

}  // namespace

int main() {
  constexpr std::size_t k_bytes = 8 << 20;
  const std::string log = repeated(
      "[{}] I 2026-01-01 12:00:{} model_lifecycle.cc:838] successfully loaded 'tensorrt_llm'\n",
      k_bytes);
  const std::string json = repeated(
      "{{\"measurement\":0,\"index\":{},\"sent_ns\":{},\"gaps_ns\":[1201,77,12],\"error\":\"HTTP "
      "500: \\\"no\\\"\"}}\n",
      k_bytes);
  for (const int secrets : {1, 10, 50}) {
    measure("log", log, secrets);
    measure("json", json, secrets);
  }
}
