// The script and the style sheet of the page, as texts whose digests its policy names.
#pragma once

#include <string>
#include <string_view>

namespace orch::page {

// At most k_most_script bytes. The page is whole without it: it sorts, filters, groups and copies
// the table, opens panels, and shows what is under the pointer.
inline constexpr std::size_t k_most_script = 12 * 1024;
std::string_view script_text();

const std::string& style_text();

// A source of a content security policy that allows exactly TEXT: 'sha256-...'.
std::string policy_source(std::string_view text);

}  // namespace orch::page
