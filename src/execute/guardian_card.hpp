// Who a guardian is, as it writes it down beside the store for a later process to find. What stands
// there is a hint, not proof: the socket tells who answers.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"
#include "system/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::execute {

struct GuardianCard {
  std::string name;
  system::ProcessId process;
  std::string boot_id;
  int version = 0;  // of what it speaks: see guardian_message.hpp
  std::string folder_id =
      {};  // of the folder that it was written into: a copy of that folder is another one
};

std::string new_guardian_name();
// The process that the card names, as a tree: its name is the mark in its environment.
system::Tree tree_of(const GuardianCard& card);

// What tells FOLDER from every other one of this boot, also from its copies.
std::string folder_id(const std::string& folder);
Status write_card(system::Files& files, const std::string& folder, const GuardianCard& card);
// With everything else that bears its name.
void remove_card(system::Files& files, const std::string& folder, const std::string& name);
// Where its stderr goes.
std::string guardian_log(const std::string& folder, const std::string& name);
// Those in FOLDER that could have written themselves down: regular files of ours, of this boot,
// named as they say. Cards of processes that are gone, and of other boots, are removed.
std::vector<GuardianCard> living_cards(system::Files& files, const std::string& folder);

}  // namespace orch::execute
