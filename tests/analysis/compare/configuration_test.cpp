// What the stages of two sides were made of, and what of it follows from what is compared.
#include "analysis/compare/planted_sessions.hpp"
#include "analysis/compare/provenance.hpp"
#include "analysis/compare/read_comparison.hpp"

#include <gmock/gmock.h>

namespace orch::compare {
namespace configuration_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Components = std::map<std::string, std::set<std::string>>;

Pairing differing(const std::string& parameter, const std::string& a, const std::string& b) {
  Pairing out;
  out.differing = {{.parameter = parameter, .a = {a}, .b = {b}}};
  return out;
}

std::vector<std::string> told(const Configuration& a, const Configuration& b,
                              const Pairing& pairing = differing("precision", "f16", "q8_0")) {
  return differing_components(a, b, pairing);
}

Configuration of(const Components& components, const std::string& manifest = "m") {
  Configuration out;
  out.components = components;
  out.manifests = {manifest};
  return out;
}

TEST(Components, of_files_programs_and_models_differ_whatever_is_compared) {
  for (const char* name : {"file scripts/serve.py of serve", "executable /usr/bin/s of serve",
                           "copy model.py of repository", "model.source of download",
                           "content of parameter serve_script of serve", "version of serve",
                           "container.image of serve", "generator_version of bench"})
    EXPECT_THAT(told(of({{name, {"1"}}}), of({{name, {"2"}}})),
                ElementsAre(std::string(name) + " 1 → 2"));
}

TEST(Components, that_are_equal_or_of_one_side_only_are_not_told) {
  EXPECT_THAT(told(of({{"file a of serve", {"1"}}}), of({{"file a of serve", {"1"}}})), IsEmpty());
  EXPECT_THAT(told(of({{"file a of serve", {"1"}}}), of({{"file b of serve", {"2"}}})), IsEmpty());
}

TEST(Components, that_are_what_is_compared_are_not_told) {
  EXPECT_THAT(told(of({{"model.source of download", {"hf:a"}}}),
                   of({{"model.source of download", {"hf:b"}}}), differing("model", "a", "b")),
              IsEmpty());
  EXPECT_THAT(told(of({{"container.image of serve", {"1"}}}),
                   of({{"container.image of serve", {"2"}}}), differing("vllm_version", "1", "2")),
              IsEmpty());
  EXPECT_THAT(told(of({{"file serve.py of serve", {"1"}}}), of({{"file serve.py of serve", {"2"}}}),
                   differing("runner", "vllm", "sglang")),
              IsEmpty());
}

TEST(Components, of_commands_follow_from_the_parameters_by_one_manifest) {
  Configuration a = of({{"env FAST of serve", {"0"}}, {"parameter slots of serve", {"8"}}});
  Configuration b = of({{"env FAST of serve", {"1"}}, {"parameter slots of serve", {"16"}}});
  a.words["serve"] = {"--fast"};
  b.words["serve"] = {"--faster"};
  EXPECT_THAT(told(a, b), IsEmpty());
  b.manifests = {"another"};
  EXPECT_THAT(told(a, b), ElementsAre("env FAST of serve 0 → 1", "parameter slots of serve 8 → 16",
                                      "command of serve --fast → --faster"));
  a.manifests = b.manifests = {""};
  EXPECT_THAT(told(a, b), Contains("env FAST of serve 0 → 1")) << "an older store says none";
}

TEST(Components, of_commands_by_several_manifests_are_explained_by_the_values_that_differ) {
  Configuration a = of({}, "1"), b = of({}, "2");
  a.words["serve"] = {"--dtype", "f16", "--load=f16.gguf", "--x"};
  b.words["serve"] = {"--dtype", "q8_0", "--load=q8_0.gguf", "--x", "--mmap"};
  EXPECT_THAT(told(a, b), ElementsAre("command of serve none → --mmap"));
}

class ConfigurationOfStore : public testing::Test {
 protected:
  void have(planted::Session session) {
    store::Store store = sample::open_store(folder_.path());
    planted::plant(store, session);
  }
  Differences differences(const std::string& a, const std::string& b) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    const auto found =
        read_comparison(store.database(), store.database(), {.a = a, .b = b, .metrics = {}});
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
    return found.ok() ? found->differences : Differences{};
  }

  sample::TemporaryFolder folder_;
};

TEST_F(ConfigurationOfStore, is_that_of_the_stages_of_the_measurements) {
  have({.experiment = "a", .measured = {planted::tps(100)}, .image = "one"});
  have({.experiment = "b",
        .measured = {planted::tps(100)},
        .more = {{"precision", sample::text("q8_0")}},
        .at = 10,
        .image = "two"});
  EXPECT_THAT(summary_of(differences("a", "b")),
              HasSubstr("confounded by image of bench one → two"));
}

TEST_F(ConfigurationOfStore, that_a_side_pools_is_told) {
  have({.experiment = "a", .measured = {planted::tps(100)}, .image = "one"});
  have({.experiment = "a", .measured = {planted::tps(100)}, .at = 10, .image = "two"});
  have({.experiment = "b",
        .measured = {planted::tps(100)},
        .more = {{"precision", sample::text("q8_0")}},
        .at = 20,
        .image = "three"});
  const Differences found = differences("experiment = 'a'", "b");
  EXPECT_THAT(found.confounders,
              Contains("side A pools 2 configurations, which differ in image of bench"));
  EXPECT_THAT(found.confounders, Not(Contains(HasSubstr("side B pools"))));
  EXPECT_THAT(differences("a", "b").confounders, Not(Contains(HasSubstr("pools"))))
      << "a name selects the present configuration";
}

// A default of the runner that changed is a change of its own, and follows from nothing.
TEST_F(ConfigurationOfStore, of_two_manifests_makes_no_parameter_follow_from_another) {
  const std::string matrix =
      "name: quick\nrunner: sample\nmodels: {tiny: {source: \"local:/m\"}}\naxes: {precision: "
      "[f16, q8_0, "
      "q4]}\n";
  const auto have_with = [&](const std::string& name, const std::string& manifest, int slots) {
    have({.experiment = name,
          .measured = {planted::tps(100)},
          .more = {{"precision", sample::text(name)}, {"slots", sample::integer(slots)}},
          .image = name,
          .manifest = manifest,
          .matrix_text = matrix});
  };
  have_with("f16", "1", 8);
  have_with("q8_0", "1", 16);
  EXPECT_THAT(summary_of(differences("run = 1", "run = 2")),
              HasSubstr("precision f16 → q8_0 (and with it slots 8 → 16)"));
  have_with("q4", "2", 32);
  EXPECT_THAT(summary_of(differences("run = 1", "run = 3")),
              HasSubstr("changes: precision f16 → q4; slots 8 → 32"));
}

}  // namespace configuration_test
}  // namespace orch::compare
