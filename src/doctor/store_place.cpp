#include "doctor/store_place.hpp"

#include "base/text.hpp"

#include <filesystem>
#include <sstream>

namespace orch::doctor {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t k_little_bytes = 1ULL << 30;

// Blanks and the like are written as \OOO there.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_below(const std::string& folder, const std::string& mount) {
  if (mount == "/" || folder == mount) return true;
  return folder.starts_with(mount) && folder[mount.size()] == '/';
}

// All that may wait for a file server.
struct Place {
  std::string folder, type;
  bool is_shared = false, is_writable = false;
  std::optional<system::FreeSpace> space;
};

Place look_at(system::Files& files, const Disks& disks, const std::string& folder) {
  Place place;
  place.folder = existing_folder(folder);
  place.type = file_system_of(files.read("/proc/self/mountinfo").value_or(""), place.folder);
  place.is_shared = disks.is_shared(place.folder);
  place.is_writable = disks.is_writable(place.folder);
  if (const auto space = files.free_space(place.folder)) place.space = *space;
  return place;
}

}  // namespace

std::string existing_folder(const std::string& folder) {
  std::error_code code;
  fs::path path = fs::weakly_canonical(fs::absolute(folder, code), code);
  while (path.has_relative_path() && !fs::is_directory(path, code)) path = path.parent_path();
  return path.string();
}

std::string file_system_of(std::string_view text, const std::string& folder) {
  std::string type, longest;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream words(line);
    std::string word, mount;
    for (int i = 0; i < 5 && words >> word; ++i) mount = word;
    mount = unescaped(mount);
    // A later mount hides an earlier one at the same place.
    if (!is_below(folder, mount) || mount.size() < longest.size()) continue;
    longest = mount;
    std::istringstream rest(line.substr(dash + 3));
    rest >> type;
  }
  return type;
}

StorePlace look_at_store(const Asking& asking, const Disks& disks, const std::string& folder) {
  StorePlace out{.section = {.heading = "results folder"}, .folder = ""};
  Section& section = out.section;
  system::Files& files = asking.world().files;
  const auto place = within<Place>(
      asking.patience_s(), [&files, disks, folder] { return look_at(files, disks, folder); });
  if (!place) {
    section.add(Level::missing,
                fmt::format("{} gave no answer within {:g} s; a file server may be down", folder,
                            asking.patience_s()),
                "--store DIR, on another file system");
    return out;
  }
  out.folder = place->folder;
  if (!place->is_writable)
    section.add(Level::missing, fmt::format("nothing can be written into {}", place->folder),
                "--store DIR, where you may write");
  const std::string type = place->type.empty() ? "an unknown file system" : place->type;
  if (place->is_shared)
    section.add(Level::warning,
                fmt::format("{} is on {}, which several hosts may use: SQLite uses its rollback "
                            "journal, which is slower and makes readers wait, and a lease keeps "
                            "other runs out",
                            place->folder, type),
                "--store DIR on a local disk; a Slurm cluster needs a shared one with locks");
  else section.add(Level::ok, fmt::format("{} is on {}", place->folder, type));
  if (!place->space) return out;
  const bool is_little = place->space->bytes < k_little_bytes;
  section.add(is_little ? Level::warning : Level::ok,
              fmt::format("{} of {} are free", human_bytes(place->space->bytes),
                          human_bytes(place->space->total_bytes)),
              is_little ? "orchestrate gc, or --store DIR on a larger disk" : "");
  return out;
}

}  // namespace orch::doctor
