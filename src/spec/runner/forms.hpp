// The forms that words of a manifest may have: paths, programs, names. Each function returns why a
// word is refused and what to write instead, or nothing when it is accepted. Knows no place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::runner {

using Refusal = std::optional<std::string>;

// A path below the folder that the runners of a place share.
inline constexpr std::string_view k_common_folder = "common/";
inline bool is_common(std::string_view path) { return path.starts_with(k_common_folder); }

// Where PATH of the manifest FILE is: below its folder, or below the shared one.
std::string beside(const std::string& file, const std::string& path);

// A path that stays inside the folder it is relative to.
Refusal refuse_inner_path(std::string_view path);
// An absolute path of this machine.
Refusal refuse_absolute_path(std::string_view path);
// The first word of a command: an absolute path, or something of ours that becomes one.
Refusal refuse_program(std::string_view word);
// The part of a URL after its port.
Refusal refuse_url_path(std::string_view path);
// "text_config.num_heads": names of nested objects of JSON, with a dot between.
Refusal refuse_dotted_path(std::string_view path);
Refusal refuse_environment_name(std::string_view name);
// A name of the environment, or PREFIX_*.
Refusal refuse_inherited(std::string_view name);
Refusal refuse_stage_name(std::string_view name);
Refusal refuse_port_name(std::string_view name);
// The name of the count in a counted part of argv.
Refusal refuse_index(std::string_view name);
Refusal refuse_rule_name(std::string_view name);

}  // namespace orch::runner
