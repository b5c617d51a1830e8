// Parameters of type model: they name further entries of `models:`.
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace second_model_test {

// `note` names a second model.
Vocabulary with_second_model() {
  Vocabulary toy = toy_vocabulary();
  for (Parameter& parameter : toy.parameters) parameter.is_model = parameter.name == "note";
  toy.read.push_back("note");
  return toy;
}

TEST(Expand, a_parameter_of_type_model_must_name_an_entry_of_models) {
  const std::string begin =
      "name: x\nrunner: toy\nmodels: {m1: {source: 'generate:nano'}}\n"
      "defaults: {model: m1, concurrency: 1}\n";
  EXPECT_EQ(errors_of(begin + "axes: {note: [m1, m2]}\n", with_second_model()),
            "m.yaml:5:19: model 'm2' is not under 'models'; did you mean 'm1'?\n");
  EXPECT_EQ(
      errors_of(begin + "axes: {tp: [1, 2]}\nlet: {note: \"'m' || tp\"}\n", with_second_model()),
      "m.yaml:6:14: let 'note': model 'm2' is not under 'models'; did you mean 'm1'? (point "
      "tp2)\n");
}

TEST(Expand, a_second_model_is_part_of_the_name_of_a_point) {
  const auto name = [](const std::string& source) {
    Expanded made = expanded(
        "name: x\nrunner: toy\nmodels: {m1: {source: 'generate:nano'}, m2: "
        "{source: '" +
            source +
            "'}}\ndefaults: {model: m1, note: m2, "
            "concurrency: 1}\n",
        with_second_model());
    return made.expansion.points.at(0).name;
  };
  EXPECT_EQ(name("generate:tiny"), name("generate:tiny"));
  EXPECT_NE(name("generate:tiny"), name("generate:small"));
}

}  // namespace second_model_test
}  // namespace orch::matrix
