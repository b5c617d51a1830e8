#include "run/execute/guardian_card.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::execute {

namespace {

constexpr std::size_t k_name_size = 16, k_most_card_bytes = 4096, k_most_cards = 10000;

bool is_name(std::string_view text) {
  return text.size() == k_name_size && text[0] == 'g' &&
         std::ranges::all_of(text, is_letter_or_digit);
}

// The text of a small regular file of this user; links are not followed.
std::optional<std::string> read_own(const std::string& path) {
  const system::Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return std::nullopt;
  std::string text(k_most_card_bytes, '\0');
  const ssize_t count = ::read(file.get(), text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// False for a zombie, which may wait long to be reaped.
bool is_alive(const system::ProcessId& process) {
  const system::Descriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  pollfd ended{watched.get(), POLLIN, 0};
  return system::identify(process.pid) == process && (!watched || ::poll(&ended, 1, 0) == 0);
}

}  // namespace

std::string new_guardian_name() { return "g" + system::new_token().substr(1); }

system::Tree tree_of(const GuardianCard& card) {
  return {.token = card.name,
          .leader = card.process,
          .boot_id = card.boot_id,
          .containment = system::Containment::session,
          .cgroup = {}};
}

std::string folder_id(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 ? fmt::format("{}:{}", status.st_dev, status.st_ino)
                                              : "";
}

Status write_card(system::Files& files, const std::string& folder, const GuardianCard& card) {
  GuardianCard written = card;
  written.folder_id = folder_id(folder);
  return files.replace(folder + "/" + card.name + ".json", to_json_text(written) + "\n");
}

std::string guardian_log(const std::string& folder, const std::string& name) {
  return folder + "/" + name + ".log";
}

void remove_card(system::Files& files, const std::string& folder, const std::string& name) {
  for (const char* end : {".json", ".json.tmp"})
    (void)files.remove_tree(folder + "/" + name + end).ok();
  struct stat status {};
  const std::string log = guardian_log(folder, name);
  // A log with text in it stays for the user.
  if (::lstat(log.c_str(), &status) == 0 && status.st_size == 0) (void)files.remove_tree(log).ok();
}

std::vector<GuardianCard> living_cards(system::Files& files, const std::string& folder) {
  std::vector<GuardianCard> cards;
  const auto names = files.names(folder);
  const std::string boot = system::boot_id();
  if (!names || boot.empty()) return cards;  // without /proc no process can be known to be dead
  for (const std::string& file : *names) {
    const std::string name = file.substr(0, file.rfind('.'));
    // The log of a guardian that died before it wrote its card.
    if (file == name + ".log" && is_name(name) &&
        !std::binary_search(names->begin(), names->end(), name + ".json"))
      remove_card(files, folder, name);
    if (file != name + ".json" || cards.size() == k_most_cards) continue;
    const auto text = is_name(name) ? read_own(folder + "/" + file) : std::nullopt;
    const auto card = text ? from_json_text<GuardianCard>(*text).to_optional() : std::nullopt;
    if (!card || card->name != name) continue;
    if (card->boot_id == boot && is_alive(card->process)) cards.push_back(*card);
    else remove_card(files, folder, name);
  }
  return cards;
}

}  // namespace orch::execute
