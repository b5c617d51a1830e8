// Programs of this host, and the hubs and repositories that it can reach.
#pragma once

#include "app/preflight/point_findings.hpp"
#include "app/preflight/place.hpp"

namespace orch::preflight {

// The programs that stages start here, and the versions of those that are asked for them.
void look_at_programs(Findings& findings, const Place& place, const Needs& needs);

// Whether the files of each source can be fetched from here, with the token of this user: by the
// runner's own command, `reach` of its resolver.
void look_at_sources(Findings& findings, const Place& place, const Needs& needs);

}  // namespace orch::preflight
