// Every header opens with a comment, and every public header has a test file of its name.
#include "tidy/sources.hpp"

namespace orch::tidy {
namespace headers_test {

// Public headers that declare structs without functions: the tests of their users cover them.
const std::set<std::string> k_without_tests = {"report.hpp"};

// Headers that another part of src/ includes, as "district/part/name.hpp".
std::set<std::string> public_headers() {
  std::set<std::string> headers;
  for (const fs::path& file : sources_under(k_src)) {
    const std::string part = part_of(file.lexically_relative(k_src).string());
    for (const Include& include : includes_of(file))
      if (include.quoted && include.name.find('/') != std::string::npos &&
          !include.name.starts_with(part + "/"))
        headers.insert(include.name);
  }
  return headers;
}

TEST(Headers, EveryHeaderOpensWithASentenceAboutItself) {
  for (const fs::path& file : sources_under(k_src)) {
    if (file.extension() != ".hpp") continue;
    EXPECT_TRUE(text_of(file).starts_with("// "))
        << file << " does not open with a sentence about itself";
  }
}

TEST(Headers, EveryPublicHeaderHasATestFileOfItsName) {
  const std::set<std::string> headers = public_headers();
  EXPECT_GT(headers.size(), 50u) << "the headers were not found";
  Findings found;
  for (const std::string& header : headers) {
    const fs::path path(header);
    const fs::path test =
        k_root / "tests" / path.parent_path() / (path.stem().string() + "_test.cpp");
    if (!fs::exists(test)) found[path.filename().string()] = "there is no " + name_of(test);
  }
  expect_only(k_without_tests, found, "other parts include this header");
}

}  // namespace headers_test
}  // namespace orch::tidy
