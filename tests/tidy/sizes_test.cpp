// How large files, folders and functions may get. Functions are read by house.py, which also prints
// the table of sizes (`make house`).
#include "tidy/sources.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace orch::tidy {
namespace sizes_test {

constexpr std::size_t k_most_file_lines = 500;
constexpr std::size_t k_most_folder_lines = 4500;
constexpr int k_most_function_lines = 60;
constexpr int k_most_parameters = 5;

// Exceptions that are older than the limits. The lists only shrink.
const std::set<std::string> k_long_files = {};
const std::set<std::string> k_large_folders = {};
const std::set<std::string> k_long_functions = {};
const std::set<std::string> k_many_parameters = {};
// Their parameters are those of a C library's callback.
const std::set<std::string> k_callbacks = {"authorize", "on_data", "on_header", "read_request"};

struct Function {
  std::string file, name;
  int line = 0, lines = 0, parameters = 0;
};

std::string unqualified(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

std::vector<Function> functions_of(const std::vector<fs::path>& files) {
  const fs::path script = k_root / "tests/tidy/house.py";
  const CommandResult result =
      run("/usr/bin/python3" + quoted({script, "--functions"}) + quoted(files));
  EXPECT_EQ(result.status, 0) << result.output;
  std::vector<Function> functions;
  for (const std::string& line : lines_of(result.output)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    if (cells.size() != 6) continue;
    functions.push_back(
        {cells[0], cells[2], std::stoi(cells[1]), std::stoi(cells[3]), std::stoi(cells[4])});
  }
  return functions;
}

TEST(Sizes, AFileHasAtMost500Lines) {
  Findings found;
  for (const fs::path& file : sources_under(k_src))
    if (const std::size_t lines = lines_of(text_of(file)).size(); lines > k_most_file_lines)
      found[file.filename().string()] = fmt::format("{} has {} lines", name_of(file), lines);
  expect_only(k_long_files, found, "at most 500; split it");
}

TEST(Sizes, AFolderHasAtMost4500Lines) {
  std::map<std::string, std::size_t> lines;
  for (const fs::path& file : sources_under(k_src))
    lines[file.parent_path().lexically_relative(k_src).string()] += lines_of(text_of(file)).size();
  Findings found;
  for (const auto& [folder, count] : lines)
    if (count > k_most_folder_lines) found[folder] = fmt::format("{} has {} lines", folder, count);
  expect_only(k_large_folders, found, "at most 4,500; it is more than one subject");
}

TEST(Sizes, AFunctionHasAtMost60LinesAnd5Parameters) {
  const std::vector<Function> functions = functions_of(sources_under(k_src));
  EXPECT_GT(functions.size(), 3000u) << "the functions were not found";
  Findings long_ones, many;
  for (const Function& function : functions) {
    const std::string name = unqualified(function.name);
    const std::string place = fmt::format("{}:{} {}", function.file, function.line, function.name);
    if (function.lines > k_most_function_lines)
      long_ones[name] = fmt::format("{} has {} lines", place, function.lines);
    if (function.parameters > k_most_parameters && !k_callbacks.contains(name))
      many[name] = fmt::format("{} has {} parameters", place, function.parameters);
  }
  expect_only(k_long_functions, long_ones, "at most 60");
  expect_only(k_many_parameters, many, "at most 5; take a struct of options");
}

TEST(Sizes, TheScannerOfFunctionsReadsEveryForm) {
  const Sample sample("functions.cpp", R"x(#include <map>
namespace a {
// int commented(int a) {
class B final : public C {
 public:
  B(int a, std::map<int, int> b) : a_{a}, b_(b) {}
  virtual void six(int, int, int, int, int, int e = f(1, 2)) = 0;
  bool operator()(int a, int b) const { return a < b; }
  std::function<void(int, int)> member;
};
template <class T>
std::pair<T, T> long_one(T first, std::vector<std::pair<T, T>> second = {}) {
  const auto text = R"(
    } {
  )";
  if (first) {
    return {'{', "}"};
  }
  for (;;) second.each([](int a, int b) { return a; });
}
const int k_table[] = {1, 2, f(3, 4)};
Status B::none() const noexcept { return {}; }
}  // namespace a
)x");
  std::string found;
  for (const Function& function : functions_of({sample.path()}))
    found += std::to_string(function.line) + " " + function.name + " " +
             std::to_string(function.lines) + " " + std::to_string(function.parameters) + "\n";
  EXPECT_EQ(found,
            "6 B 1 2\n"
            "7 six 0 6\n"
            "8 operator() 1 2\n"
            "11 long_one 10 2\n"
            "22 B::none 1 0\n");
}

TEST(Sizes, ALongFunctionIsFound) {
  std::string text = "void f() {\n";
  for (int i = 0; i < 59; ++i) text += "  g();\n";
  const Sample sample("long.cpp", text + "}\n");
  const auto functions = functions_of({sample.path()});
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].lines, 61);
}

}  // namespace sizes_test
}  // namespace orch::tidy
