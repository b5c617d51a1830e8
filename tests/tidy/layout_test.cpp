// The layout of the sources: formatted, and at most 100 columns wide.
#include "tidy/sources.hpp"

#include <algorithm>

namespace orch::tidy {
namespace layout_test {

constexpr std::size_t k_most_columns = 100;

std::size_t characters_in(const std::string& utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

// Which of LINES touch a raw string.
std::vector<bool> raw_lines(const std::vector<std::string>& lines) {
  std::vector<bool> raw(lines.size());
  std::string end;  // of the raw string that is open
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t at = 0; at != std::string::npos;) {
      if (end.empty()) {
        const std::size_t begin = lines[i].find("R\"", at);
        if (begin == std::string::npos) break;
        const std::size_t paren = lines[i].find('(', begin);
        if (paren == std::string::npos) break;
        end = ")" + lines[i].substr(begin + 2, paren - begin - 2) + "\"";
        at = paren;
      }
      raw[i] = true;
      at = lines[i].find(end, at);
      if (at != std::string::npos) end.clear();
    }
  }
  return raw;
}

// The first word of the line passes the last column, so a line break would not help.
bool is_one_word(const std::string& line) {
  std::size_t begin = line.find_first_not_of(' ');
  if (begin != std::string::npos && line.compare(begin, 3, "// ") == 0) begin += 3;
  const std::string_view rest = std::string_view(line).substr(std::min(begin, line.size()));
  return begin + rest.substr(0, rest.find(' ')).size() > k_most_columns;
}

// "line 3: 101 columns"
std::vector<std::string> wide_lines(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const std::vector<bool> raw = raw_lines(lines);
  std::vector<std::string> wide;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t columns = characters_in(lines[i]);
    if (columns <= k_most_columns || raw[i] || lines[i].starts_with("#include")) continue;
    if (is_one_word(lines[i])) continue;
    wide.push_back("line " + std::to_string(i + 1) + ": " + std::to_string(columns) + " columns");
  }
  return wide;
}

TEST(Layout, NoLineIsWiderThan100Columns) {
  for (const fs::path& file : all_sources())
    for (const std::string& wide : wide_lines(text_of(file)))
      ADD_FAILURE() << name_of(file) << ", " << wide << "; at most " << k_most_columns;
}

TEST(Layout, AWideLineIsFound) {
  const std::string word(101, 'x');
  EXPECT_EQ(wide_lines("ok\n// " + std::string(90, 'x') + " 12345678\n"),
            (std::vector<std::string>{"line 2: 102 columns"}));
  EXPECT_TRUE(wide_lines("    \"" + word + "\",\n// " + word + "\n").empty());
  EXPECT_TRUE(wide_lines("#include \"a" + word + " b\"\n").empty());
  EXPECT_TRUE(wide_lines("f(R\"x(\n" + word + " b\n)x\", a " + word + ");\n").empty());
  EXPECT_EQ(wide_lines("f(R\"x()x\");\nint a; " + word + ";\n").size(), 1u);
  std::string umlauts;
  for (int i = 0; i < 50; ++i) umlauts += "ä ";
  EXPECT_TRUE(wide_lines(umlauts + "\n").empty());
}

TEST(Layout, EveryFileIsFormatted) {
  if (run("clang-format-14 --version").status != 0)
    GTEST_SKIP() << "clang-format-14 is not installed (scripts/install-packages.sh test)";
  const std::vector<fs::path> files = all_sources();
  constexpr std::size_t k_batch = 100;
  for (std::size_t at = 0; at < files.size(); at += k_batch) {
    const auto begin = files.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<fs::path> batch(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(k_batch, files.size() - at)));
    const CommandResult result =
        run("clang-format-14 --dry-run -Werror --ferror-limit=1" + quoted(batch));
    EXPECT_EQ(result.status, 0) << result.output << "run make format";
  }
}

}  // namespace layout_test
}  // namespace orch::tidy
