#include "results/store/layout.hpp"

#include "os/system/process.hpp"

#include <cstdlib>

namespace orch::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_own[] = {"artifacts", "attempts", "ballast", "guardians", "inbox",
                                      "lease",     "lock",     "logs",    "records",   "slurm"};
// The beginnings of names that belong to the store: also of files that SQLite and a rebuild create
// beside the database, and of older diagnostics.
constexpr std::string_view k_own_beginnings[] = {"results.db", "diagnostics", "lease"};

bool is_store(const fs::path& folder) {
  std::error_code code;
  return fs::exists(folder / "results.db", code) ||
         fs::exists(folder / "records/store.jsonl", code);
}

// Whether BELOW belongs to a stage, if the running process is part of one: an output made in place
// is below artifacts/, and a batch has outputs of several attempts.
bool is_of_a_stage(const fs::path& below) {
  const char* token = std::getenv(system::k_token_variable);
  return token != nullptr && *token != '\0' && !below.empty() &&
         (*below.begin() == "attempts" || *below.begin() == "artifacts");
}

// Checks PATH, which has no links; NAMED is the path for messages.
Status check_place(const fs::path& named, const fs::path& path) {
  fs::path below;
  for (fs::path folder = path;; folder = folder.parent_path()) {
    if (is_store(folder)) {
      const bool is_root = below.empty();
      if (!is_root && (!is_own_name(below.begin()->string()) || is_of_a_stage(below))) return {};
      const std::string what =
          is_root ? "is a results folder"
                  : fmt::format("is in the results folder {}, where {} belongs to the store",
                                quoted(folder.string()), quoted(below.begin()->string()));
      return invalid(fmt::format("{} {}, and nothing was written; name another path",
                                 quoted(named.string()), what));
    }
    if (!folder.has_relative_path()) return {};
    below = below.empty() ? folder.filename() : folder.filename() / below;
  }
}

}  // namespace

bool is_own_name(std::string_view name) {
  return std::ranges::any_of(k_own, [&](std::string_view own) { return name == own; }) ||
         std::ranges::any_of(k_own_beginnings,
                             [&](std::string_view own) { return name.starts_with(own); });
}

Status check_output(const fs::path& path) {
  std::error_code code;
  fs::path whole = fs::absolute(path, code);
  if (code) return {};  // the attempt to write will report why
  if (!whole.has_filename()) whole = whole.parent_path();
  // Checks both the name, which some outputs replace, and the target of a link, which others
  // replace.
  const fs::path parent = fs::weakly_canonical(whole.parent_path(), code);
  if (!code) ORCH_TRY(check_place(path, (parent / whole.filename()).lexically_normal()));
  const fs::path target = fs::weakly_canonical(whole, code);
  return code ? Status() : check_place(path, target);
}

}  // namespace orch::store
