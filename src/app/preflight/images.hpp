// Whether an image is here or can be pulled, and whether it has what stages name in it: it is
// looked at in a short container, and nothing is inferred from its name.
#pragma once

#include "app/preflight/point_findings.hpp"
#include "app/preflight/place.hpp"

#include <optional>

namespace orch::preflight {

// A line of a search in an image: "orchestrate: KIND<tab>WORD<tab>WHAT<tab>REMEDY".
struct Sight {
  enum class Kind { has, lacks, later, version };
  Kind kind = Kind::has;
  std::string word;    // a program or path that was asked for, or the name of a package
  std::string what;    // why it is lacked, or a version; may be empty
  std::string remedy;  // may be empty
};
// The lines of TEXT that are sights; entry points of images print others.
std::vector<Sight> sights_in(std::string_view text);
void judge_sights(Findings& findings, const ImageNeed& need, const std::vector<Sight>& sights);

// What to do about the engine's words SAID when it could not start a container.
std::string remedy_of_start(container::Engine engine, std::string_view said);

// Appends what an image lacks to FINDINGS, and to DRIVERS whether its CUDA suits the driver.
void look_at_image(Findings& findings, Findings& drivers, const Place& place,
                   const ImageNeed& need);

// Whether the engine of stages with GPUs can give them to containers.
void look_at_gpu_support(Findings& findings, const Place& place, const Needs& needs);

}  // namespace orch::preflight
