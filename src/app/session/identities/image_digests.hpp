// Asks container engines which image a name refers to, before a run or `doctor MATRIX` plans. A
// missing image is pulled if RunOptions::pull allows it. The store keeps the answers as resolutions
// until --update, so that a tag that moves does not change a sweep midway. Nodes of a cluster
// import the image to which the tag currently refers; there, a tag that has moved is an error.
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

// The `kind` under which the store keeps resolutions of images, with the key "ENGINE NAME".
inline constexpr const char* k_image_resolution = "image";
std::string image_key(container::Engine engine, const std::string& reference);

// The image that an engine describes in TEXT, the line "ID NAME@DIGEST...": the name with the
// digest in REFERENCE's repository, else with any digest, else the id. "" if TEXT is not such a
// line.
std::string pinned_reference(std::string_view text, std::string_view reference);

// Whether ERRORS, which an engine's `image inspect` printed, state that the image does not exist.
bool says_absent(const std::string& errors);

class ImageDigests {
 public:
  // Borrows STORE. With the option --update, known images are also queried again, once.
  ImageDigests(const Context& context, store::Store& store);

  // The image of REFERENCE. nullopt: the failure is in new_failures(), or the run was interrupted.
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
