#include "spec/runner/support.hpp"

namespace orch::runner {
namespace limits_test {

constexpr const char* k_make = "stages:\n  make: {kind: task, argv: [/x], outputs: [a]}\n";

std::string times(std::size_t count, const std::string& item) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format(fmt::runtime(item), i);
  return text;
}

std::string first_error(const std::string& yaml) {
  const std::string errors = errors_of(yaml);
  return errors.substr(0, errors.find('\n'));
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Limits, AListOrMapHasAtMost500Entries) {
  EXPECT_EQ(
      first_error("runner: toy\nparameters:\n" + times(501, "  p{}: {{type: text}}\n") + k_make),
      "runner.yaml:3:3: 'parameters' has 501 entries; at most 500 are read");
  EXPECT_EQ(
      errors_of("runner: toy\nparameters:\n" + times(500, "  p{}: {{type: text}}\n") + k_make), "");
  EXPECT_EQ(first_error("runner: toy\nrules:\n" +
                        times(501, "  - {{name: r{}, require: a, because: b}}\n") + k_make),
            "runner.yaml:3:3: 'rules' has 501 entries; at most 500 are read");
  EXPECT_EQ(first_error("runner: toy\nstages:\n" +
                        times(501, "  s{}: {{kind: task, argv: [/x], outputs: [a]}}\n")),
            "runner.yaml:3:3: 'stages' has 501 entries; at most 500 are read");
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a: {kind: task, argv: [/x], outputs: [" +
                      times(501, "o{}, ") + "]}\n"),
            "runner.yaml:3:40: 'outputs' has 501 entries; at most 500 are read\n");
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a: {kind: task, argv: [" + times(501, "/x{}, ") +
                      "], outputs: [o]}\n"),
            "runner.yaml:3:25: 'argv' has 501 entries; at most 500 are read\n");
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a: {kind: task, argv: [/x], outputs: [o], env: {" +
                      times(501, "E{}: x, ") + "}}\n"),
            "runner.yaml:3:50: 'env' has 501 entries; at most 500 are read\n");
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a: {kind: task, outputs: [o], copy: [" +
                      times(501, "{{from: a, to: b{}}}, ") + "], argv: [/x]}\n"),
            "runner.yaml:3:39: 'copy' has 501 entries; at most 500 are read\n");
}

TEST(Limits, AtMost200ErrorsAreKept) {
  const std::string errors =
      errors_of("runner: toy\nstages:\n  a: {kind: task, outputs: [o], argv: [/x, '" +
                times(1000, "{{p{}}}") + "']}\n");
  EXPECT_EQ(lines(errors), 201u);
  const std::string last =
      "runner.yaml: these are the first 200 errors; correct them and check again\n";
  EXPECT_EQ(errors.substr(errors.size() - last.size()), last);
}

}  // namespace limits_test
}  // namespace orch::runner
