// How a launch ended, as its guardian writes it down: the word that counts when nobody was there to
// hear it. Knows nothing of who reads it.
#pragma once

#include "execute/executor.hpp"
#include "system/files.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch::execute {

struct ExitRecord {
  Ended ended;
  system::Containment containment = system::Containment::session;
  std::string boot_id;  // of another boot a record is not believed: it was never made durable
  bool left = false;    // something of the tree outlived its leader and had to be ended
};

std::string to_json(const ExitRecord& record);
// Nothing when TEXT is none of ours.
std::optional<ExitRecord> parse_exit_record(const std::string& text);

// What stands at PATH, when it is the record of TOKEN and of the present boot.
std::optional<Ended> read_exit_record(system::Files& files, const std::string& path,
                                      const std::string& token);

// Removes what a launch leaves on disk when its tree is gone: its temporary folder and its shared
// memory.
void remove_traces(system::Files& files, const Launch& launch);

}  // namespace orch::execute
