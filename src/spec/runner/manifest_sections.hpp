// The sections of runner.yaml, each read from the manifest's map by its own function. Only for
// parse_manifest(), which calls them in this order: a section may use those before it.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

void read_versions(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_parameters(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_facts(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_rules(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_resolvers(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_default_container(YamlMap& map, Manifest& manifest, ManifestReader& reader);
void read_stages(YamlMap& map, Manifest& manifest, ManifestReader& reader);
// The names of this program's environment variables under KEY: `inherit` of stages and resolvers,
// `secrets` of stages.
void read_inherited(YamlMap& map, std::string_view key, std::vector<std::string>& names,
                    ManifestReader& reader);
// Reads the file that `facts` names under `known`, beside the manifest.
void read_known_models(Manifest& manifest, const ReadPart& read, ManifestReader& reader);
// Call after reading facts and stages: each may refer to the other.
void check_fact_source(const Manifest& manifest, ManifestReader& reader);
// Checks the type of the version parameter, and adds the rules that reject versions outside the
// table and shortened ones (0.14 for 0.14.0).
void check_versions(Manifest& manifest, ManifestReader& reader);

// `fragments` of runner.yaml: pieces shared by several stages, written once. Only for
// parse_manifest(). Works on the tree of the file; does not interpret the arguments.

// Removes the section `fragments` from ROOT. Replaces each item {fragment: NAME} in a stage's argv
// by the items of that fragment, and adds the fragment's lists (reads, needs, files) and maps (env,
// job) to those of the stage. Errors: an unknown fragment, a fragment inside another one, an entry
// of such a map that both the stage and the fragment set.
void insert_fragments(Yaml& root, ManifestReader& reader);

// `parts:` of runner.yaml: additional files of its folder with some of its sections. Only for
// parse_manifest(). Checks which sections a part may have, not their content.

// Appends the sections of the parts to those of ROOT, the tree of FILE, in the order given there.
// Errors: unreadable parts, other sections in them, a parameter or stage that two files define,
// except a parameter of a shared part, some of whose keys one other file may replace. False: a part
// could not be read, so its contribution is unknown.
bool join_parts(Yaml& root, const std::string& file, const ReadPart& read, ManifestReader& reader);

// `since` and `until` of parameters and values: the tool versions that support them. They become
// rules and defaults; code that handles points does not see them.

struct Span {
  matrix::Releases releases{};
  Location where{};
};

Span read_span(YamlMap& map, const Manifest& manifest, ManifestReader& reader);

// Restricts PARAMETER to versions in SPAN: for other versions it has no default, and a rule rejects
// points that set it.
void keep_within(matrix::Parameter& parameter, const Span& span, Manifest& manifest);
// The same for one of its values.
void keep_value_within(const matrix::Parameter& parameter, const std::string& value,
                       const Span& span, Manifest& manifest);

}  // namespace orch::runner
