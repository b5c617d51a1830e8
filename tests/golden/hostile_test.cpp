// Hostile matrices are refused with a message, within one second of CPU time and 100 MiB of memory.
#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch {
namespace hostile_test {

constexpr double k_cpu_s = 1;
constexpr long k_memory_kib = 100 * 1024;

struct Refusal {
  int code = -1;
  std::string errors;
  double cpu_s = 0;
  long memory_kib = 0;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Refusal check(const std::string& text) {
  const fakes::TempFolder folder;
  const std::string matrix = folder.path() / "m.yaml", err = folder.path() / "err";
  std::ofstream(matrix, std::ios::binary) << text;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(ORCH_SOURCE_DIR "/tests/golden/matrices") != 0) ::_exit(126);
    ::dup2(::open("/dev/null", O_WRONLY), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execl(ORCH_BINARY, ORCH_BINARY, "check", matrix.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  std::ifstream file(err, std::ios::binary);
  std::ostringstream errors;
  errors << file.rdbuf();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, errors.str(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss};
}

std::string times(std::size_t n, const std::string& text) {
  std::string all;
  all.reserve(n * text.size());
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

std::string numbered(std::size_t n, const std::function<std::string(std::size_t)>& line) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += line(i);
  return all;
}

const std::string k_head = "name: x\nrunner: engine\nmodels: {m: {source: 'generate:x'}}\n";

std::string bomb() {
  std::string text = k_head + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            times(9, "*a" + std::to_string(i - 1) + ", ") + "*a" + std::to_string(i - 1) + "]\n";
  return text;
}

std::string product_of(std::size_t axes, std::size_t values) {
  static const char* k_names[] = {"tp",         "pp",          "isl",         "osl",
                                  "batch_size", "max_seq_len", "num_prompts", "concurrency"};
  std::string text = k_head + "axes:\n  model: [m]\n";
  for (std::size_t axis = 0; axis < axes; ++axis)
    text += std::string("  ") + k_names[axis] + ": [" +
            numbered(values, [](std::size_t i) { return std::to_string(i + 1) + ", "; }) + "]\n";
  return text;
}

struct Case {
  std::string name;
  std::function<std::string()> text;  // made in its own test only: they have 60 MiB in all
  std::string message;                // a part of the errors; "": the matrix may be valid
};

// Texts that are refused before their keys are read.
std::vector<Case> of_yaml() {
  return {
      {"fifty_mebibytes", [] { return k_head + times(50, std::string(1 << 20, '#')); },
       "at most 1048576 are read"},
      {"a_mebibyte_of_small_nodes", [] { return times((1 << 20) / 3 - 1, "[],"); }, "m.yaml:"},
      {"nested_small_nodes", [] { return "[[" + times((1 << 20) / 3 - 2, "[],") + "]]"; },
       "more than 100000 nodes"},
      {"tagged_nodes", [] { return "[[" + times((1 << 20) / 11 - 1, "!!str &a x,") + "]]"; },
       "m.yaml:"},
      {"a_mebibyte_of_items", [] { return times((1 << 20) / 4, "- a\n"); },
       "more than 100000 nodes"},
      {"a_mebibyte_of_open_lists", [] { return times(1 << 20, "["); },
       "nested deeper than 64 levels"},
      {"a_mebibyte_of_open_maps", [] { return times((1 << 20) / 4, "{a: "); },
       "nested deeper than 64 levels"},
      {"a_mebibyte_of_comments", [] { return times(1 << 19, "#\n"); }, "m.yaml:"},
      {"a_mebibyte_in_one_text",
       [] { return k_head + "a: \"" + times((1 << 20) / 4 - 50, "\\x41") + "\""; }, "m.yaml:"},
      {"depth_of_a_hundred_thousand", [] { return k_head + "axes: " + times(100'000, "["); },
       "nested deeper than 64 levels"},
      {"depth_by_indentation",
       [] {
         return k_head + numbered(1000, [](std::size_t i) { return std::string(i, ' ') + "a:\n"; });
       },
       "nested deeper than 64 levels"},
      {"billion_laughs", [] { return bomb(); }, "nodes after aliases are expanded"},
      {"alias_inside_itself", [] { return k_head + "axes: &a {tp: [1, *a]}\n"; },
       "m.yaml:4:19: the alias '*a' is inside the value"},
      {"nul_byte", [] { return k_head + std::string("axes: \0\n", 8); }, "a NUL byte"},
  };
}

std::vector<Case> of_keys_and_expressions() {
  return {
      {"thirty_thousand_duplicates", [] { return k_head + times(30'000, "a: 1\n"); },
       "duplicate key 'a'"},
      {"forty_thousand_unknown_keys",
       [] {
         return k_head +
                numbered(40'000, [](std::size_t i) { return "key" + std::to_string(i) + ": 1\n"; });
       },
       "unknown key 'key0'"},
      {"a_million_million_points", [] { return product_of(4, 1000); }, "1000000000000 points"},
      {"ten_thousand_parentheses",
       [] {
         return k_head + "axes: {model: [m]}\nexclude: ['" + times(4900, "(") + "1" +
                times(4900, ")") + "']\n";
       },
       "m.yaml:5:12: exclude: nested too deep"},
      {"an_expression_without_end",
       [] { return k_head + "axes: {model: [m]}\nexclude: ['" + times(100'000, "1+") + "1']\n"; },
       "at most 10000 are read"},
      {"lets_that_double",
       [] {
         return k_head + "axes: {model: [m]}\nlet:\n  l0: isl\n" + numbered(60, [](std::size_t i) {
                  return "  l" + std::to_string(i + 1) + ": l" + std::to_string(i) + " * l" +
                         std::to_string(i) + "\n";
                });
       },
       ""},
      {"text_that_grows",
       [] {
         return k_head + "axes: {model: [m]}\nlet:\n  l0: \"'xxxxxxxxxxxxxxxx'\"\n" +
                numbered(40, [](std::size_t i) {
                  return "  l" + std::to_string(i + 1) + ": replace(l" + std::to_string(i) +
                         ", 'x', l" + std::to_string(i) + ")\n";
                });
       },
       "cannot be computed"},
      {"a_pattern_that_backtracks",
       [] {
         return k_head + "axes: {model: [m]}\nexclude: [\"'" + times(400, "a") + "' LIKE '" +
                times(400, "%a") + "b'\"]\n";
       },
       ""},
  };
}

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Hostile : public testing::TestWithParam<Case> {};

TEST_P(Hostile, is_refused_with_a_message_within_its_limits) {
  const Refusal refusal = check(GetParam().text());
  EXPECT_TRUE(refusal.code == 2 || GetParam().message.empty()) << refusal.code;
  EXPECT_THAT(refusal.errors.substr(0, 2000), testing::HasSubstr(GetParam().message));
  EXPECT_LE(refusal.cpu_s, k_cpu_s);
  EXPECT_LE(refusal.memory_kib, k_memory_kib);
}

std::vector<Case> cases() {
  std::vector<Case> all = of_yaml(), more = of_keys_and_expressions();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Matrices, Hostile, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace hostile_test
}  // namespace orch
