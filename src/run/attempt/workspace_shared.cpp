// The part of Workspace that makes outputs in the cache of the user and links them into the store.
#include "run/attempt/workspace.hpp"
#include "os/system/kill_point.hpp"

namespace orch::attempt {

namespace {

constexpr std::uint64_t k_entry_path_bytes = 4096;

}  // namespace

void Workspace::share_in(const std::string& root) {
  shared_ = std::make_unique<SharedOutputs>(files_, root);
}

bool Workspace::is_taken(const Prepared& prepared) const {
  return shared_->taken(prepared.attempt.token).has_value();
}

// An attempt that was laid out by a run before has its entry where that run made it.
std::string Workspace::shared_entry_of(const Attempt& attempt) {
  const std::string folder = layout_.attempt(attempt.token);
  if (!files_.exists(folder)) return shared_->entry(*attempt.stage, attempt.token);
  const auto recorded = files_.read_own(folder + "/shared", k_entry_path_bytes);
  const std::string end = "/" + attempt.stage->id + "/" + attempt.token;
  return recorded && recorded->ends_with(end) ? *recorded : "";
}

// After an error, the next attempt makes its output in the store.
Status Workspace::begin_shared(const Prepared& prepared) {
  const std::string& token = prepared.attempt.token;
  ORCH_TRY(files_.put(layout_.attempt(token) + "/shared", prepared.shared));
  if (shared_->take(*prepared.attempt.stage, token))
    return files_.put(prepared.launch.log, fmt::format("It is in the cache already, at {}.\n",
                                                       shared_->taken(token)->folder));
  const Status begun = shared_->begin(prepared.shared, layout_.store);
  if (!begun) warn_later(shared_->give_up(begun.error().text()));
  system::kill_point("shared-begun");
  return begun;
}

// Leaves in the folder of the attempt a link to the entry, to be published as its output.
Status Workspace::publish_shared(const Prepared& prepared, const std::string& manifest) {
  const std::string& token = prepared.attempt.token;
  const auto taken = shared_->taken(token);
  const std::string entry = taken ? taken->folder : prepared.shared;
  if (!taken) ORCH_TRY(shared_->complete(entry, manifest));
  ORCH_TRY(shared_->refer(
      entry,
      {.store = layout_.store, .artifact = Layout::artifact(prepared.artifact), .token = token}));
  const std::string artifact = layout_.attempt(token) + "/artifact";
  ORCH_TRY(files_.remove_tree(artifact));
  ORCH_TRY(files_.make_folder(artifact));
  return files_.link(entry + "/out", artifact + "/out");
}

// IS_FULL: the attempt failed because a disk is full, which may be that of the cache.
void Workspace::drop_shared(const Prepared& prepared, bool is_full) {
  if (prepared.shared.empty() || is_taken(prepared)) return;
  const Status dropped = shared_->drop(prepared.shared);
  if (!dropped) warn_later(dropped.error().text());
  if (!is_full) return;
  if (const std::string why = shared_->give_up("the disk of the cache is full"); !why.empty())
    warn_later(why);
}

void Workspace::forget_shared(const std::string& token) {
  const auto entry = files_.read_own(layout_.attempt(token) + "/shared", k_entry_path_bytes);
  if (!entry || !system::is_token(token) || !entry->ends_with("/" + token) ||
      entry->find("/orchestrate/environments/") == std::string::npos)
    return;
  if (const Status dropped = shared_->drop(*entry); !dropped) warn_later(dropped.error().text());
}

}  // namespace orch::attempt
