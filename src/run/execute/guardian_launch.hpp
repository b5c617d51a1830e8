// One launch in its guardian, from spawn until its tree has ended and its exit record is written.
#pragma once

#include "core/base/result.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/process.hpp"
#include "run/execute/exit_record.hpp"
#include "run/execute/guardian.hpp"
#include "run/execute/oom_kills.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::execute {

// A guardian's card: a file in the store by which a later process finds the guardian. A card is a
// hint, not proof; the socket's peer credentials prove who answers.

struct GuardianCard {
  std::string name;
  system::ProcessId process = {};
  std::string boot_id;
  int version = 0;  // of the protocol: see guardian_message.hpp
  // folder_id() of the folder in which the card was written; a copy of the folder has a different
  // id.
  std::string folder_id = {};
};

constexpr auto fields_of(Tag<GuardianCard>) {
  return rows_of(required<&GuardianCard::name>("name"), part<&GuardianCard::process>(),
                 required<&GuardianCard::boot_id>("boot_id"),
                 required<&GuardianCard::version>("version"),
                 field<&GuardianCard::folder_id>("folder_id"));
}

std::string new_guardian_name();
// The guardian's process as a tree, whose token is the guardian's name: that name marks the
// environment of the process.
system::Tree tree_of(const GuardianCard& card);

// An id that distinguishes FOLDER from every other folder during this boot, including its copies.
// "" if FOLDER does not exist.
std::string folder_id(const std::string& folder);
Status write_card(system::Files& files, const std::string& folder, const GuardianCard& card);
// Removes the card of guardian NAME, and the guardian's log if it is empty.
void remove_card(system::Files& files, const std::string& folder, const std::string& name);
// The path of the file that receives a guardian's stderr.
std::string guardian_log(const std::string& folder, const std::string& name);
// The cards in FOLDER of live guardians: regular files of this user, from this boot, whose names
// match their content. Removes the cards of dead guardians and of other boots.
std::vector<GuardianCard> living_cards(system::Files& files, const std::string& folder);

class GuardianLaunch {
 public:
  // The path of the guardian's diagnostics for a launch with the log LOG: NAME.log ->
  // NAME.guardian.log.
  static std::string diagnostics_beside(const std::string& log);

  // Starts LAUNCH. After an error none of its processes runs, and its private folders are removed.
  // Diagnostics up to LEVEL are appended to diagnostics_beside(log).
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
  // To be called after record_exit(). Ends the rest of the tree, drains the log, writes the exit
  // record and removes the private folders. nullopt: processes are left; call again.
  std::optional<Ended> finish(bool abandoned);

 private:
  GuardianLaunch(const system::Host& host, Launch launch, system::LogLevel level);
  Status spawn_tree(system::Containment containment);
  // The part of spawn_tree() that follows the creation of the private folders.
  Status spawn_in_folders(system::Containment containment);
  // The first of the launch's working directory, log and temporary folder whose file system is
  // full; "" if none is.
  std::string full_disk() const;

  system::Host host_;
  Launch launch_;
  system::Tree tree_;
  std::unique_ptr<system::Diagnostics> diagnostics_;
  std::unique_ptr<LogPipe> log_;
  double since_s_ = 0;
  OomKills oom_kills_;
  std::optional<ExitRecord> record_;
};

}  // namespace orch::execute
