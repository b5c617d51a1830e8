// `fragments` of runner.yaml: pieces of a stage that several stages share, written once. For
// parse_manifest() alone. Works on the tree of the file; knows no meaning of a word.
#pragma once

#include "spec/runner/manifest_reader.hpp"

namespace orch::runner {

// Takes the section `fragments` out of ROOT. Replaces each item {fragment: NAME} in the argv of a
// stage by the items of that fragment, and adds the fragment's lists (reads, needs, files) and maps
// (env, job) to those of the stage. Errors: an unknown fragment, a fragment inside another one, a
// key that both the stage and the fragment set.
void insert_fragments(Yaml& root, ManifestReader& reader);

}  // namespace orch::runner
