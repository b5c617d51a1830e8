// Where things stand in a store, and where the program's own folders are. Paths only; touches no file.
#pragma once

#include <string>
#include <string_view>

namespace orch::execute {

struct Layout {
  std::string store;        // absolute
  std::string project;      // holds templates/ and runners/
  std::string runner;       // the runner's own folder
  std::string orchestrate;  // our binary

  // The folder of a published artifact, relative to the store. A measurement has one per attempt.
  static std::string artifact(std::string_view name) { return "artifacts/" + std::string(name); }
  std::string artifact_out(std::string_view name) const { return store + "/" + artifact(name) + "/out"; }
  std::string attempt(std::string_view token) const { return store + "/attempts/" + std::string(token); }
  static std::string log(std::string_view name) { return "logs/" + std::string(name) + ".log"; }
};

}  // namespace orch::execute
