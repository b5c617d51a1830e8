// Which texts are strictly JSON, and where a text has its first fault.
#include "core/base/json_scan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch {
namespace json_check_test {

constexpr std::string_view k_all =
    R"( {"a\u00fF\n" : [ -0, 10.5e+7, 1E-2 ,true,false,null,{},[ ] ], "" :{"b":"\\"}, "\u20aC": "é" }	)";

TEST(JsonCheck, FindsNoFaultInJson) {
  for (const std::string_view text :
       {k_all, std::string_view("0"), std::string_view("\"\""), std::string_view("[]"),
        std::string_view("[\"\\ud800\", 1e400]")})
    EXPECT_FALSE(find_json_fault(text, 3)) << text;
}

TEST(JsonCheck, AgreesWithAnotherReaderOnEveryDeletionAndInsertion) {
  std::size_t faults = 0;
  const auto compare = [&](const std::string& text) {
    const bool fault = find_json_fault(text, 100).has_value();
    EXPECT_EQ(fault, !nlohmann::json::accept(text)) << text;
    faults += fault;
  };
  for (std::size_t i = 0; i <= k_all.size(); ++i) {
    std::string text(k_all);
    compare(text.substr(0, i));
    if (i < k_all.size() && static_cast<unsigned char>(k_all[i]) < 0x80)
      compare(std::string(text).erase(i, 1));
    if (i < k_all.size() && (static_cast<unsigned char>(k_all[i]) & 0xc0) == 0x80)
      continue;  // it would split a character
    for (const char c : std::string_view("{}[]:,\"\\0e.-+ \tux"))
      compare(std::string(text).insert(i, 1, c));
  }
  EXPECT_GT(faults, 500u);
}

TEST(JsonCheck, DistinguishesTooDeepFromFaulty) {
  EXPECT_FALSE(find_json_fault("[[{}],[]]", 3));
  const auto deep = find_json_fault("[[], [{}]]", 2);
  ASSERT_TRUE(deep);
  EXPECT_TRUE(deep->too_deep);
  EXPECT_EQ(deep->at, 6u);
  EXPECT_FALSE(find_json_fault("[x", 2)->too_deep);
  EXPECT_TRUE(find_json_fault(std::string(10 << 20, '['), 100)->too_deep);
}

}  // namespace json_check_test
}  // namespace orch
