// The file system that a results folder is on, or will be.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"

#include <string>

namespace orch::doctor {

// Whether several hosts may use the file system of a folder.
using IsShared = std::function<bool(const std::string&)>;

// FOLDER, or the nearest folder above it that exists; absolute.
std::string existing_folder(const std::string& folder);

// The type of the file system of the absolute FOLDER, by TEXT in the form of /proc/self/mountinfo;
// "" when it names none.
std::string file_system_of(std::string_view text, const std::string& folder);

struct StorePlace {
  Section section;
  std::string folder;  // that exists; "": its file system did not answer
};

// Writes a small file there, and removes it. IS_FOR_SLURM: a shared file system is what is needed.
StorePlace look_at_store(const Asking& asking, const IsShared& is_shared, const std::string& folder,
                         bool is_for_slurm);

}  // namespace orch::doctor
