// The sections of runner.yaml, each read by a function of its own into a manifest. For
// parse_manifest() alone, which calls them in this order: a section may use those before it.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

namespace orch::runner {

void read_versions(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_parameters(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_facts(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_rules(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_resolvers(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_default_container(const Yaml& node, Manifest& manifest, ManifestReader& reader);
void read_stages(const Yaml& node, Manifest& manifest, ManifestReader& reader);
// The names of variables of our environment under KEY: `inherit` of stages and resolvers, `secrets`
// of stages.
void read_inherited(YamlMap& map, std::string_view key, std::vector<std::string>& names,
                    ManifestReader& reader);
// Reads the file that `facts` names under `known`, beside the manifest.
void read_known_models(Manifest& manifest, const ReadPart& read, ManifestReader& reader);
// To be called after facts and stages were read: each may refer to the other.
void check_fact_source(const Manifest& manifest, ManifestReader& reader);
// Checks the type of the version parameter, and adds the rule that rejects versions that are too
// old.
void check_versions(Manifest& manifest, ManifestReader& reader);

}  // namespace orch::runner
