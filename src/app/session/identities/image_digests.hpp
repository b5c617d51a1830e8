// Asks container engines which image a name means: `run` before it plans. An image that is not here
// is pulled. Answers are resolutions in the store, where they stay until --update, so that a tag
// that moves changes nothing in the middle of a sweep. Nodes of a cluster import what the tag
// means: there, a tag that has moved since is an error.
#pragma once

#include "app/session/planning.hpp"
#include "results/store/store.hpp"
#include "run/attempt/container_host.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::session {

// The kind of the store's resolutions of images; their key is "ENGINE NAME".
inline constexpr const char* k_image_resolution = "image";
std::string image_key(container::Engine engine, const std::string& reference);

// The image that an engine describes in TEXT, the line "ID NAME@DIGEST...": the digest of the
// repository of REFERENCE, else any, else its id. "" when TEXT is no such line.
std::string pinned_reference(std::string_view text, std::string_view reference);

// Whether an engine whose `image inspect` printed ERRORS lacks the image.
bool says_absent(const std::string& errors);

class ImageDigests {
 public:
  // STORE is borrowed. With the option --update, names whose image is known are asked again, once.
  ImageDigests(const Context& context, store::Store& store);

  // Empty: the failure is in new_failures(), or the run was interrupted.
  Result<std::optional<std::string>> ask(container::Engine engine, const std::string& reference);
  // The failures that no earlier call returned, one per image.
  Errors new_failures() { return std::exchange(failures_, {}); }

 private:
  Result<std::string> run(const std::vector<std::string>& argv, double timeout_s) const;
  Result<std::string> ask_daemon(container::Engine engine, const std::string& reference) const;
  Result<std::string> ask_registry(container::Engine engine, const std::string& reference) const;
  void compare_with_registry(const std::string& reference, std::optional<std::string>& known);

  Context context_;
  store::Store& store_;
  attempt::ContainerHost host_;
  std::map<std::string, std::optional<std::string>> asked_;  // key -> answer in this run
  Errors failures_;
};

}  // namespace orch::session
