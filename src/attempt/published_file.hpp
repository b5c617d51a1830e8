// A file of a published artifact.
#pragma once

#include <cstdint>
#include <string>

namespace orch::attempt {

struct PublishedFile {
  std::string path;  // under the artifact's folder
  std::uint64_t bytes = 0;
  std::string sha256;
};

}  // namespace orch::attempt
