// The paths inside a results folder, and those of the program's own folders. Touches no file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace orch::attempt {

struct Layout {
  std::string store;        // absolute
  std::string project;      // holds templates/ and runners/
  std::string runner;       // the folder of the runner in use
  std::string orchestrate;  // the orchestrate binary

  // A file named by the manifest: relative to the runner's folder or, as common/NAME, to the folder
  // that all runners share.
  static std::string below_runner(std::string_view file) {
    return (file.starts_with("common/") ? "/../" : "/") + std::string(file);
  }
  std::string runner_file(std::string_view file) const {
    return std::filesystem::path(runner + below_runner(file)).lexically_normal().string();
  }

  // The folder of a published artifact, relative to the store. A measurement has one per attempt.
  static std::string artifact(std::string_view name) { return "artifacts/" + std::string(name); }
  std::string artifact_out(std::string_view name) const {
    return store + "/" + artifact(name) + "/out";
  }
  std::string attempt(std::string_view token) const {
    return store + "/attempts/" + std::string(token);
  }
  static std::string log(std::string_view name) { return "logs/" + std::string(name) + ".log"; }
};

// A file of a published artifact.
struct PublishedFile {
  std::string path;  // relative to the artifact's folder
  std::uint64_t bytes = 0;
  std::string sha256;
};

}  // namespace orch::attempt
