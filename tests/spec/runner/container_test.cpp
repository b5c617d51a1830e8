// `container` of a manifest and of its stages.
#include "spec/runner/support.hpp"

namespace orch::runner {
namespace container_test {

std::string manifest_with(const std::string& container, const std::string& stage) {
  return "runner: toy\nparameters: {image: {type: text, optional: true}}\n" + container +
         "stages:\n  make: {kind: task, argv: [/bin/true], outputs: [a], " + stage + "}\n";
}

struct Read {
  Manifest manifest;
  std::string errors;
};

Read read(const std::string& text) {
  Errors errors;
  Manifest manifest = parse_manifest(text, "runner.yaml", errors);
  std::string all;
  for (const Error& error : errors) all += error.text() + "\n";
  return {std::move(manifest), all};
}

constexpr const char* k_shared = "container: {image: \"{image}\", when: image IS NOT NULL}\n";

TEST(Container, IsThatOfTheManifestWhereAStageSaysSo) {
  const Read shared = read(manifest_with(k_shared, "container: true"));
  EXPECT_EQ(shared.errors, "");
  ASSERT_TRUE(shared.manifest.stages[0].container);
  EXPECT_EQ(shared.manifest.stages[0].container->image, "{image}");
  EXPECT_EQ(shared.manifest.stages[0].container->network, "host");
  EXPECT_TRUE(shared.manifest.stages[0].container->when);
  EXPECT_FALSE(read(manifest_with(k_shared, "container: false")).manifest.stages[0].container);
  EXPECT_FALSE(read(manifest_with(k_shared, "timeout_s: 5")).manifest.stages[0].container);
}

TEST(Container, OfAStageTakesThePlaceOfTheManifests) {
  const Read own = read(manifest_with(
      k_shared,
      "container: {image: local, user: image, entrypoint: image, ulimits: {nofile: \"10\"}, "
      "options: [--x, {words: image}], folders: [/data]}"));
  EXPECT_EQ(own.errors, "");
  const Container& container = *own.manifest.stages[0].container;
  EXPECT_EQ(container.image, "local");
  EXPECT_FALSE(container.as_user);
  EXPECT_TRUE(container.entrypoint);
  EXPECT_EQ(container.ulimits.at("nofile"), "10");
  ASSERT_EQ(container.options.size(), 2u);
  EXPECT_TRUE(container.options[1].cut);
  EXPECT_EQ(container.options[1].text, "{image}");
}

TEST(Container, NamesFaultsWithTheirPlaceAndRemedy) {
  EXPECT_EQ(read(manifest_with("", "container: true")).errors,
            "runner.yaml:4:66: 'container' of stage 'make' must be a map, or true if the manifest "
            "has a 'container' that stages share, not 'true'\n");
  EXPECT_EQ(read(manifest_with("", "container: {shm_size: 1g}")).errors,
            "runner.yaml:4:66: 'container' names no image; give it 'image' or 'built'\n");
  EXPECT_EQ(read(manifest_with("", "container: {image: x, user: root}")).errors,
            "runner.yaml:4:83: 'container.user' must be host or image, not the value 'root'\n");
  EXPECT_NE(read(manifest_with("", "container: {image: \"{imag}\"}")).errors.find("{imag}"),
            std::string::npos);
}

TEST(Container, OfOrchestrateItselfBeginsAtAMarker) {
  const std::string text =
      "runner: toy\nstages:\n  make: {kind: task, argv: [\"{orchestrate}\", prompts, WORDS], "
      "outputs: [a], container: {image: x}}\n";
  const auto with_words = [&](const std::string& words) {
    std::string copy = text;
    return read(copy.replace(copy.find("WORDS"), 5, words)).errors;
  };
  EXPECT_EQ(with_words("python3"),
            "runner.yaml:3:29: stage 'make' runs orchestrate, which is not a program of the image; "
            "write \"{container}\" before the word where the container begins\n");
  EXPECT_EQ(with_words("\"{container}\", python3"), "");
}

}  // namespace container_test
}  // namespace orch::runner
