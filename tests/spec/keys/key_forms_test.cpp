// Forms that many keys share: what they take, and what the others say.
#include "spec/keys/key_forms.hpp"

#include "core/base/yaml/yaml.hpp"

#include <string>

#include <gtest/gtest.h>

namespace orch::keys {
namespace key_forms_test {

// What is wrong with TEXT as a value of FORM; "" if nothing is.
std::string fault(const Form& form, const std::string& text) {
  const Result<Yaml> file = parse_yaml("a: " + text, "f.yaml");
  if (!file) return file.error().text();
  const Errors faults = faults_of(*file->find("a"), form, "'a'");
  return faults.empty() ? "" : faults.front().message;
}

TEST(KeyForms, OfWordsTakeAnyTextAndFilledOnesNoEmptyText) {
  EXPECT_EQ(fault(k_word, "''"), "");
  EXPECT_EQ(fault(k_filled, "x"), "");
  EXPECT_EQ(fault(k_filled, "''"), "'a' is empty; give it a value");
  EXPECT_EQ(fault(k_filled_words, "[]").substr(0, 12), "'a' is empty");
  EXPECT_EQ(fault(k_words, "[]"), "");
}

TEST(KeyForms, OfSecondsAreAboveZero) {
  EXPECT_EQ(fault(k_seconds, "0.5"), "");
  EXPECT_EQ(fault(k_seconds, "0"),
            "'a' must be a number of seconds above 0, at most 10000000, not the value '0'");
}

TEST(KeyForms, OfSqlSayHowToQuote) {
  EXPECT_EQ(fault(k_sql, "[b]"),
            "'a' must be an SQL expression, not a list; put it in quotes if it has a ':', '{' or "
            "'['");
}

}  // namespace key_forms_test
}  // namespace orch::keys
