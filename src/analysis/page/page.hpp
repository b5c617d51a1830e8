// A report as one HTML file: no network, whole without scripts, nothing in it executed but the
// script that its policy names. Reads nothing.
#pragma once

#include "analysis/page/report.hpp"

#include <string>

namespace orch::page {

std::string html(const Report& report);

// The policy of the page's own <meta>, for a server that sends it as a header as well.
std::string content_policy(bool live);

}  // namespace orch::page
