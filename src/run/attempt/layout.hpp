// The paths inside a results folder and of the program's own folders, and the address of servers.
// Does not access files.
#pragma once

#include "core/base/fields.hpp"
#include "os/system/ports.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace orch::attempt {

// The folders that contain the files named in one runner's manifest.
struct RunnerFolders {
  std::string runner;
  std::string common = {};   // "": the one beside `runner`
  std::string project = {};  // holds templates/
};

struct Layout {
  std::string store;               // absolute
  std::string project;             // holds templates/
  std::string runner;              // the folder of the runner in use
  std::string common = {};         // files shared by all runners; "": the one beside `runner`
  std::string orchestrate;         // the orchestrate binary
  std::string bind = "127.0.0.1";  // the address at which servers listen
  // The runners in use besides the one of `runner` and `project`, by name.
  std::map<std::string, RunnerFolders, std::less<>> other_runners = {};

  // Whether FILE, named in the manifest, is common/NAME: relative to the folder that all runners
  // share, not to the runner's own.
  static bool is_common(std::string_view file) { return file.starts_with(k_common); }
  static std::string below_runner(std::string_view file) {
    return (is_common(file) ? "/../" : "/") + std::string(file);
  }
  RunnerFolders folders_of(std::string_view runner_name) const {
    const auto other = other_runners.find(runner_name);
    return other == other_runners.end() ? RunnerFolders{runner, common, project} : other->second;
  }
  // The path of FILE, named in the manifest of the runner OF; "": the runner of `runner`.
  std::string runner_file(std::string_view file, std::string_view of = {}) const {
    const RunnerFolders folders = folders_of(of);
    const std::string path = is_common(file) && !folders.common.empty()
                                 ? folders.common + "/" + std::string(file.substr(k_common.size()))
                                 : folders.runner + below_runner(file);
    return std::filesystem::path(path).lexically_normal().string();
  }

  // The value of {bind} or {connect}; nullopt if SYMBOL is neither.
  std::optional<std::string> address(std::string_view symbol) const {
    if (symbol == "bind") return bind;
    if (symbol == "connect") return system::address_to_call(bind);
    return std::nullopt;
  }

  // The folder of a published artifact, relative to the store. A measurement has a folder for each
  // attempt.
  static std::string artifact(std::string_view name) { return "artifacts/" + std::string(name); }
  std::string artifact_out(std::string_view name) const {
    return store + "/" + artifact(name) + "/out";
  }
  std::string attempt(std::string_view token) const {
    return store + "/attempts/" + std::string(token);
  }
  // The file with one line about the progress of a measurement; TOKEN is that of its process.
  std::string progress(std::string_view token) const { return attempt(token) + "/progress"; }
  static std::string log(std::string_view name) { return "logs/" + std::string(name) + ".log"; }

  static constexpr std::string_view k_common = "common/";
};

// TEXT with the paths of files in place of {file:PATH}, and the values of MORE in place of other
// symbols. TEXT belongs to a command in the manifest of RUNNER that is not part of a stage.
std::string with_files(const Layout& layout, std::string_view runner, std::string_view text,
                       const std::map<std::string, std::string, std::less<>>& more = {});

// A file of a published artifact.
struct PublishedFile {
  std::string path;  // relative to the artifact's folder
  std::uint64_t bytes = 0;
  std::string sha256;
};
constexpr auto fields_of(Tag<PublishedFile>) {
  return rows_of(required<&PublishedFile::path>("path"), required<&PublishedFile::bytes>("bytes"),
                 required<&PublishedFile::sha256>("sha256"));
}
std::true_type is_list(Tag<PublishedFile>);

}  // namespace orch::attempt
