#include "app/doctor/store_place.hpp"

#include "core/base/text.hpp"
#include "os/system/process.hpp"

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
  bool is_there = false, is_shared = false;
  Status written;
  std::optional<system::FreeSpace> space;
};

// Rights alone do not tell: a file server may refuse root, and /proc takes no files.
Status try_to_write(system::Files& files, const std::string& folder) {
  const std::string file = fmt::format("{}/.doctor-{}", folder, system::new_token());
  const Status written = files.put(file, "x");
  const Status removed = files.remove_tree(file);
  return written.ok() ? removed : written;
}

Place look_at(system::Files& files, const IsShared& is_shared, const std::string& folder) {
  Place place;
  place.folder = existing_folder(folder);
  place.type = file_system_of(files.read("/proc/self/mountinfo").value_or(""), place.folder);
  place.is_there = files.exists(folder);
  place.is_shared = is_shared(place.folder);
  place.written = try_to_write(files, place.folder);
  if (const auto space = files.free_space(place.folder)) place.space = *space;
  return place;
}

Finding file_system_finding(const Place& place, const std::string& folder, bool is_for_slurm) {
  const std::string type = place.type.empty() ? "an unknown file system" : place.type;
  Finding finding{.what = place.is_there
                              ? fmt::format("{} is on {}", place.folder, type)
                              : fmt::format("{} (does not exist yet) would be on {}, in {}", folder,
                                            type, place.folder)};
  if (!place.is_shared) return finding;
  finding.what +=
      "; several hosts may use it: SQLite uses its rollback journal, which is slower and makes "
      "readers wait, and a lease keeps other runs out";
  if (is_for_slurm) return finding;
  finding.level = Level::warning;
  finding.remedy = "--store DIR on a local disk; a Slurm cluster needs a shared one with locks";
  return finding;
}

Finding space_finding(const system::FreeSpace& space) {
  if (space.total_bytes == 0) return {.what = "the file system states no size"};
  const std::string what =
      fmt::format("{} of {} are free", human_bytes(space.bytes), human_bytes(space.total_bytes));
  if (space.bytes >= k_little_bytes) return {.what = what};
  return {Level::warning, what, "orchestrate gc, or --store DIR on a larger disk"};
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

StorePlace look_at_store(const Asking& asking, const IsShared& is_shared, const std::string& folder,
                         bool is_for_slurm) {
  StorePlace out{.section = {.heading = "results folder"}, .folder = ""};
  Section& section = out.section;
  system::Files& files = asking.world().files;
  const auto place = within<Place>(asking.patience_s(), [&files, is_shared, folder] {
    return look_at(files, is_shared, folder);
  });
  if (!place) {
    section.add(Level::missing,
                fmt::format("{} gave no answer within {:g} s; a file server may be down", folder,
                            asking.patience_s()),
                "--store DIR, on another file system");
    return out;
  }
  out.folder = place->folder;
  if (!place->written.ok())
    section.add(Level::missing,
                fmt::format("nothing can be written into {}: {}", place->folder,
                            place->written.error().message),
                "--store DIR, where you may write");
  section.findings.push_back(file_system_finding(*place, folder, is_for_slurm));
  if (place->space) section.findings.push_back(space_finding(*place->space));
  return out;
}

}  // namespace orch::doctor
