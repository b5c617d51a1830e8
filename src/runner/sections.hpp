// The parts of runner.yaml, each read by a function of its own into a manifest. For
// parse_manifest() alone, which calls them in this order: a part may look at what was read before
// it.
#pragma once

#include "runner/manifest.hpp"
#include "runner/reader.hpp"

namespace orch::runner {

void read_versions(const Yaml& node, Manifest& manifest, Reader& reader);
void read_parameters(const Yaml& node, Manifest& manifest, Reader& reader);
void read_facts(const Yaml& node, Manifest& manifest, Reader& reader);
void read_rules(const Yaml& node, Manifest& manifest, Reader& reader);
void read_resolvers(const Yaml& node, Manifest& manifest, Reader& reader);
void read_stages(const Yaml& node, Manifest& manifest, Reader& reader);
// The names of variables of our environment under KEY: `inherit` of stages and resolvers, `secrets`
// of stages.
void read_inherited(YamlMap& map, std::string_view key, std::vector<std::string>& names,
                    Reader& reader);
// Facts come from a stage, and stages may ask about facts: only when both are read can this be
// told.
void check_fact_source(const Manifest& manifest, Reader& reader);
// The parameter that says which version is of that type, and a version that is too old is rejected.
void check_versions(Manifest& manifest, Reader& reader);

}  // namespace orch::runner
