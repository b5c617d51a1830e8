#include "os/system/nvml/driver_library.hpp"

#include "core/base/text.hpp"

#include <cstdlib>
#include <filesystem>

namespace orch::system {

std::string library_of_driver(std::string_view name) {
  const char* searched = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> folders = split(searched ? searched : "", ':');
  folders.insert(folders.end(), {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                 "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"});
  for (const std::string& folder : folders) {
    std::error_code code;
    const std::string path = fmt::format("{}/{}", folder, name);
    if (folder.starts_with('/') && std::filesystem::exists(path, code)) return path;
  }
  return "";
}

}  // namespace orch::system
