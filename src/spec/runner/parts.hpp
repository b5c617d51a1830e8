// `parts:` of runner.yaml: further files of its folder with some of its sections. For
// parse_manifest() alone. Knows which sections a part may have, not their content.
#pragma once

#include "spec/runner/manifest.hpp"
#include "spec/runner/manifest_reader.hpp"

namespace orch::runner {

// Appends the sections of the parts to those of ROOT, the tree of FILE, in the order in which it
// names them. Errors: parts that cannot be read, other sections in them, a parameter or stage that
// two files define. False: a part could not be read, so what its content would decide is unknown.
bool join_parts(Yaml& root, const std::string& file, const ReadPart& read, ManifestReader& reader);

}  // namespace orch::runner
