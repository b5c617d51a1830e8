// One launch in its guardian, from spawn until its tree has ended and its exit record is written.
// Knows nothing of who requested it.
#pragma once

#include "core/base/result.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/process.hpp"
#include "run/execute/exit_record.hpp"
#include "run/execute/guardian.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::execute {

// A guardian's card: a file beside the store by which a later process finds it. A card is a hint,
// not proof; the socket's peer credentials prove who answers.

struct GuardianCard {
  std::string name;
  system::ProcessId process;
  std::string boot_id;
  int version = 0;  // of the protocol: see guardian_message.hpp
  // Of the folder in which the card was written; differs in a copy of the folder.
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

// Distinguishes FOLDER from every other folder of this boot, including its copies. "" if it does
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

class GuardianLaunch {
 public:
  // The file of the guardian's diagnostics for a launch whose log is LOG: NAME.log ->
  // NAME.guardian.log.
  static std::string diagnostics_beside(const std::string& log);

  // After an error nothing runs, and the private folders are removed. Diagnostics up to LEVEL are
  // appended beside the log.
  static Result<std::unique_ptr<GuardianLaunch>> spawn(
      const system::Host& host, Launch launch, system::Containment containment,
      system::LogLevel level = system::LogLevel::off);

  const Launch& launch() const { return launch_; }
  const system::Tree& tree() const { return tree_; }
  LogPipe& log() { return *log_; }
  system::Diagnostics& diagnostics() { return *diagnostics_; }
  double running_s() { return host_.clock.now_s() - since_s_; }

  void signal(int signal);
  bool is_leader(const system::Exit& exit) const { return exit.process == tree_.leader; }
  void record_exit(const system::Exit& exit);
  bool has_exited() const { return record_.has_value(); }
  // After record_exit(): ends the rest of the tree, drains the log, writes the exit record and
  // removes the private folders. nullopt: processes are left; call it again.
  std::optional<Ended> finish(bool abandoned);

 private:
  GuardianLaunch(const system::Host& host, Launch launch, system::LogLevel level);
  Status spawn_tree(system::Containment containment);
  std::uint64_t oom_kills() const;
  // The first path written by the launch whose file system is full; "" if none is.
  std::string full_disk() const;

  system::Host host_;
  Launch launch_;
  system::Tree tree_;
  std::unique_ptr<system::Diagnostics> diagnostics_;
  std::unique_ptr<LogPipe> log_;
  double since_s_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  std::optional<ExitRecord> record_;
};

}  // namespace orch::execute
