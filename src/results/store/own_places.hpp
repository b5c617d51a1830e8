// Which files and folders of a results folder belong to the store, so that no output that a user
// names replaces one of them.
#pragma once

#include "core/base/result.hpp"

#include <filesystem>
#include <string_view>

namespace orch::store {

// Whether NAME, directly in a results folder, is the store's. Others there, such as `reports`, are
// free for users.
bool is_own_name(std::string_view name);

// An error, with the remedy, when PATH is a results folder or leads to what belongs to one, also
// through links. A stage may write below the folder of its own attempt.
Status check_output(const std::filesystem::path& path);

}  // namespace orch::store
