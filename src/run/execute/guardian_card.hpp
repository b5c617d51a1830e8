// The card of a guardian: a file beside the store by which a later process finds it. A card is a
// hint and not proof; the socket's peer credentials prove who answers.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "os/system/process.hpp"

#include <string>
#include <vector>

namespace orch::execute {

struct GuardianCard {
  std::string name;
  system::ProcessId process;
  std::string boot_id;
  int version = 0;  // of the protocol: see guardian_message.hpp
  // Of the folder that the card was written into: in a copy of the folder it differs.
  std::string folder_id = {};
};

constexpr auto fields_of(Tag<GuardianCard>) {
  return rows_of(required<&GuardianCard::name>("name"), part<&GuardianCard::process>(),
                 required<&GuardianCard::boot_id>("boot_id"),
                 required<&GuardianCard::version>("version"),
                 field<&GuardianCard::folder_id>("folder_id"));
}

std::string new_guardian_name();
// The guardian's process as a tree: its name is the mark in its environment.
system::Tree tree_of(const GuardianCard& card);

// Distinguishes FOLDER from every other folder of this boot, including its copies. "" when it does
// not exist.
std::string folder_id(const std::string& folder);
Status write_card(system::Files& files, const std::string& folder, const GuardianCard& card);
// Removes the card of NAME, and its log if that is empty.
void remove_card(system::Files& files, const std::string& folder, const std::string& name);
// The file that receives a guardian's stderr.
std::string guardian_log(const std::string& folder, const std::string& name);
// The cards in FOLDER of live processes: regular files of this user and this boot whose names match
// their content. Removes the cards of dead processes and of other boots.
std::vector<GuardianCard> living_cards(system::Files& files, const std::string& folder);

}  // namespace orch::execute
