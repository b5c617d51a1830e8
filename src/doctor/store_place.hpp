// The file system that a results folder is on, or will be.
#pragma once

#include "doctor/asking.hpp"
#include "doctor/finding.hpp"

#include <string>

namespace orch::doctor {

// What is asked of the operating system about a folder.
struct Disks {
  std::function<bool(const std::string&)> is_shared, is_writable;
};

// FOLDER, or the nearest folder above it that exists; absolute.
std::string existing_folder(const std::string& folder);

// The type of the file system of the absolute FOLDER, by TEXT in the form of /proc/self/mountinfo;
// "" when it names none.
std::string file_system_of(std::string_view text, const std::string& folder);

struct StorePlace {
  Section section;
  std::string folder;  // that exists; "": its file system did not answer
};

StorePlace look_at_store(const Asking& asking, const Disks& disks, const std::string& folder);

}  // namespace orch::doctor
