// The version of this program: recorded as provenance, never part of a digest.
#pragma once

namespace orch {

inline constexpr const char* k_version = "0.1.0";

}  // namespace orch
