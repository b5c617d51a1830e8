#include "spec/render/template.hpp"

#include <gtest/gtest.h>

namespace orch::render {
namespace template_test {

std::string fill_text(const std::string& text, const std::map<std::string, std::string>& values) {
  Errors errors;
  const std::string out = fill(text, "config.pbtxt", values, errors);
  if (errors.empty()) return out;
  std::string all;
  for (const Error& error : errors) all += error.text() + "\n";
  return all;
}

TEST(Template, FillsEveryPlaceholder) {
  EXPECT_EQ(fill_text("a: ${x}, b: \"${y}\" ${x}", {{"x", "1"}, {"y", "z"}}), "a: 1, b: \"z\" 1");
}

TEST(Template, TwoDollarsBecomeOne) {
  EXPECT_EQ(fill_text("$$${x} $5 $", {{"x", "1"}}), "$1 $5 $");
}

TEST(Template, FilledTextIsNotScannedAgain) {
  EXPECT_EQ(fill_text("${x}", {{"x", "${y}"}}), "${y}");
}

TEST(Template, APlaceholderWithoutAValueIsAnErrorWithItsPlace) {
  EXPECT_EQ(fill_text("name: \"m\"\nmax: ${max_batch_siz}\n", {{"max_batch_size", "8"}}),
            "config.pbtxt:2:6: no value for the placeholder ${max_batch_siz}; did you mean "
            "'max_batch_size'?\n"
            "config.pbtxt: the template has no placeholder ${max_batch_size} for the value '8'; "
            "remove the value or correct its name\n");
}

TEST(Template, AnUnfinishedPlaceholderIsAnErrorWithItsPlace) {
  EXPECT_EQ(fill_text("x ${oops", {}),
            "config.pbtxt:1:3: '${' does not start a placeholder ${name}; write $${ for a literal "
            "'${'\n");
}

}  // namespace template_test
}  // namespace orch::render
