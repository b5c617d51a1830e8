// A temporary folder with files of one line, as the kernel shows its facts.
#pragma once

#include "fakes/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace orch::system {

struct TextFolder {
  fakes::TempFolder folder;
  std::string path() const { return folder.path().string(); }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path at = folder.path() / file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text << "\n";
  }
};

}  // namespace orch::system
