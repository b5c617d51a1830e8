// `parts:` of runner.yaml: further files of its folder that hold some of its parameters, rules and
// stages, so that what belongs together can stand together. For parse_manifest() alone. Knows which
// sections may be cut, not what is in them.
#pragma once

#include "runner/manifest.hpp"
#include "runner/reader.hpp"

namespace orch::runner {

// ROOT, the tree of FILE, with what the parts say behind what it says itself, in the order in which
// it names them. Errors: parts that cannot be read, other sections in them, a parameter or stage
// that two files have.
void join_parts(Yaml& root, const std::string& file, const ReadPart& read, Reader& reader);

}  // namespace orch::runner
