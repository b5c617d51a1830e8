// The text of a YAML value in, a typed value or a complete diagnostic out.
#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace parameter_test {

Parameter parameter(Type type) { return {.name = "p", .type = type}; }

// The value's text, or the diagnostic.
std::string read(const Parameter& declared, const std::string& yaml) {
  const auto node = parse_yaml(yaml, "m.yaml");
  const auto value = read_value(declared, *node);
  return value ? value->text : value.error().text();
}

TEST(ReadValue, type_names_convert_both_ways) {
  for (const Type type : {Type::text, Type::integer, Type::real, Type::boolean, Type::version})
    EXPECT_EQ(parse_name<matrix::Type>(to_string(type)), type);
  EXPECT_EQ(parse_name<matrix::Type>("string"), std::nullopt);
}

TEST(Typed, numbers_and_booleans_are_converted_and_the_rest_stays_text) {
  EXPECT_EQ(typed({Type::integer, "-8"}), TypedValue(std::int64_t{-8}));
  EXPECT_EQ(typed({Type::real, "2.50"}), TypedValue(2.5));
  EXPECT_EQ(typed({Type::boolean, "false"}), TypedValue(false));
  EXPECT_EQ(typed({Type::version, "0.10"}), TypedValue("0.10"));
  EXPECT_EQ(typed({Type::text, "8"}), TypedValue("8"));
}

TEST(Typed, an_invalid_number_stays_text) {
  EXPECT_EQ(typed({Type::integer, "9223372036854775808"}), TypedValue("9223372036854775808"));
  EXPECT_EQ(typed({Type::real, "1e999"}), TypedValue("1e999"));
  EXPECT_EQ(typed({Type::integer, ""}), TypedValue(""));
}

TEST(ReadValue, words_that_are_values_each_are_shown_as_the_list_that_was_meant) {
  EXPECT_EQ(read(parameter(Type::integer), "1 4  8"),
            "m.yaml:1:1: 'p' cannot be '1 4  8'; separate the values of a list by commas: [1, 4, "
            "8]");
  Parameter words = parameter(Type::text);
  words.allowed = {"f16", "q8_0"};
  EXPECT_EQ(read(words, "f16 q8_0"),
            "m.yaml:1:1: 'p' cannot be 'f16 q8_0'; separate the values of a list by commas: [f16, "
            "q8_0]");
  EXPECT_EQ(read(parameter(Type::integer), "1 x"),
            "m.yaml:1:1: 'p' must be a whole number, not '1 x'");
  EXPECT_EQ(read(parameter(Type::text), "two words"), "two words");
}

TEST(ReadValue, integers_have_one_notation) {
  const Parameter p = parameter(Type::integer);
  EXPECT_EQ(read(p, "8"), "8");
  EXPECT_EQ(read(p, "-3"), "-3");
  EXPECT_EQ(read(p, "'8'"), "8");
  EXPECT_EQ(read(p, "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(read(p, "08"), "m.yaml:1:1: 'p' must be a whole number, not '08'; write 8");
  EXPECT_EQ(read(p, "+8"), "m.yaml:1:1: 'p' must be a whole number, not '+8'; write 8");
  EXPECT_EQ(read(p, "1e3"), "m.yaml:1:1: 'p' must be a whole number, not '1e3'; write 1000");
  EXPECT_EQ(read(p, "8.0"), "m.yaml:1:1: 'p' must be a whole number, not '8.0'; write 8");
  EXPECT_EQ(read(p, "1_000"), "m.yaml:1:1: 'p' must be a whole number, not '1_000'; write 1000");
  EXPECT_EQ(read(p, "-0"), "m.yaml:1:1: 'p' must be a whole number, not '-0'; write 0");
  EXPECT_EQ(read(p, "8.5"), "m.yaml:1:1: 'p' must be a whole number, not '8.5'");
  EXPECT_EQ(read(p, "0x10"), "m.yaml:1:1: 'p' must be a whole number, not '0x10'");
  EXPECT_EQ(read(p, "9223372036854775808"),
            "m.yaml:1:1: 'p' must be a whole number, not '9223372036854775808'");
}

TEST(ReadValue, a_number_keeps_its_bounds) {
  const Parameter integer{.name = "p", .type = Type::integer, .least = 1, .most = 65536};
  EXPECT_EQ(read(integer, "0"), "m.yaml:1:1: 'p' must be at least 1, not 0");
  EXPECT_EQ(read(integer, "1"), "1");
  EXPECT_EQ(read(integer, "65536"), "65536");
  EXPECT_EQ(read(integer, "65537"), "m.yaml:1:1: 'p' must be at most 65536, not 65537");
  const Parameter real{.name = "p", .type = Type::real, .least = 0.001, .most = 1e6};
  EXPECT_EQ(read(real, "0"), "m.yaml:1:1: 'p' must be at least 0.001, not 0");
  EXPECT_EQ(read(real, "0.001"), "0.001");
  EXPECT_EQ(read(real, "1.0e+6"), "1000000");
  EXPECT_EQ(read(real, "1.0e+30"), "m.yaml:1:1: 'p' must be at most 1000000, not 1.0e+30");
}

TEST(ReadValue, booleans_are_true_or_false) {
  const Parameter p = parameter(Type::boolean);
  EXPECT_EQ(read(p, "true"), "true");
  EXPECT_EQ(read(p, "yes"), "m.yaml:1:1: 'p' must be true or false, not 'yes'; write true");
  EXPECT_EQ(read(p, "0"), "m.yaml:1:1: 'p' must be true or false, not '0'; write false");
  EXPECT_EQ(read(p, "True"), "m.yaml:1:1: 'p' must be true or false, not 'True'; write true");
  EXPECT_EQ(read(p, "maybe"), "m.yaml:1:1: 'p' must be true or false, not 'maybe'");
}

TEST(ReadValue, versions_keep_their_text) {
  const Parameter p = parameter(Type::version);
  EXPECT_EQ(read(p, "0.10"), "0.10");
  EXPECT_EQ(read(p, "0.14.0"), "0.14.0");
  EXPECT_EQ(read(p, "24.08-py3"), "24.08-py3");
  EXPECT_EQ(read(p, "1.0rc1"), "1.0rc1");
  for (const char* wrong : {"14", "v14", "0..1", "0.14.", "1.0 beta"})
    EXPECT_EQ(read(p, wrong),
              fmt::format("m.yaml:1:1: 'p' must be a version, such as 0.14.0, not '{}'", wrong));
}

TEST(ReadValue, a_version_is_written_without_the_v_of_its_tag) {
  EXPECT_EQ(read(parameter(Type::version), "v0.14.0"),
            "m.yaml:1:1: 'p' must be a version, not 'v0.14.0'; write 0.14.0");
}

// As SQL's results and values from the database are read.
TEST(ReadValue, equal_reals_have_the_same_text_however_they_are_written) {
  const Parameter p = parameter(Type::real);
  for (const char* three : {"3", "3.0", "3.00", "30e-1", "0.3e1"}) EXPECT_EQ(read(p, three), "3");
  for (const char* half : {"0.5", "0.50", ".5", "5e-1"}) EXPECT_EQ(read(p, half), "0.5");
  EXPECT_EQ(read(p, "1e-3"), "0.001");
  EXPECT_EQ(typed({Type::real, "3"}), TypedValue(3.0));  // no integer division in SQL
}

TEST(ReadValue, reals_are_finite_numbers) {
  const Parameter p = parameter(Type::real);
  for (const char* wrong : {"hot", ".inf", "1e999", "nan", "1,5", "50%"})
    EXPECT_EQ(read(p, wrong),
              fmt::format("m.yaml:1:1: 'p' must be a number, such as 0.5, not '{}'", wrong));
}

TEST(ReadValue, text_accepts_any_scalar_and_is_empty_only_in_quotes) {
  const Parameter p = parameter(Type::text);
  EXPECT_EQ(read(p, "true"), "true");
  EXPECT_EQ(read(p, "007"), "007");
  EXPECT_EQ(read(p, "''"), "");
  EXPECT_EQ(
      read(p, "~"),
      "m.yaml:1:1: 'p' must be one value of type text, not nothing; write '' for the empty text");
  EXPECT_EQ(read(p, "[a]"),
            "m.yaml:1:1: 'p' must be one value of type text, not a list; several values are an "
            "axis, or one entry each");
}

TEST(ReadValue, only_allowed_values_are_accepted) {
  const Parameter p{.name = "p", .type = Type::text, .allowed = {"fp16", "int8_wo"}};
  EXPECT_EQ(read(p, "int8_wo"), "int8_wo");
  EXPECT_EQ(
      read(p, "int8-wo"),
      "m.yaml:1:1: 'p' cannot be 'int8-wo'; it is one of: fp16, int8_wo; did you mean 'int8_wo'?");
  EXPECT_EQ(read({.name = "p", .type = Type::real, .allowed = {"0.5"}}, "0.50"), "0.5");
}

TEST(Text, with_a_placeholder_of_runners_is_refused) {
  const Parameter flavour{.name = "flavour", .type = Type::text};
  for (const char* text : {"{out}", "a{stage:build}/x", "{file:../../etc/passwd}", "{port:http}",
                           "{model.source}", "{ {token}"})
    EXPECT_THAT(
        read_text(flavour, text).error().message,
        testing::HasSubstr(
            "which a runner would replace; values are not filled in, so leave the braces out"))
        << text;
  for (const char* text : {"{}", "{\"a\": 1}", "{nope}", "{out", "out}", "{outer}"})
    EXPECT_TRUE(read_text(flavour, text)) << text;
}

}  // namespace parameter_test
}  // namespace orch::matrix
