// Where things stand in a store, and where the program's own folders are. Paths only; touches no
// file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace orch::attempt {

struct Layout {
  std::string store;        // absolute
  std::string project;      // holds templates/ and runners/
  std::string runner;       // the runner's own folder
  std::string orchestrate;  // our binary

  // A file that the manifest names: one of the runner's folder or, as common/NAME, of the folder
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

}  // namespace orch::attempt
