// Rules for names that become columns of tables and views or parts of file names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// Why NAME cannot be an axis, a parameter or a `let`, and what to write instead; nullopt if it can.
// It must be a column name, and neither a keyword of SQL, a metric or its statistic, nor another
// column of the view `results`.
std::optional<std::string> refuse_column_name(std::string_view name);

// The same for models, datasets, runners and experiments: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
std::optional<std::string> refuse_free_name(std::string_view name);

// How a matrix names the source of a model or dataset: its schemes and its revisions. Opens no file
// and contacts no hub.

inline constexpr std::string_view k_hub_scheme = "hf:";
inline constexpr std::string_view k_local_scheme = "local:";
inline constexpr std::string_view k_generated_scheme = "generate:";
inline constexpr std::string_view k_git_scheme = "git:";
inline constexpr std::string_view k_url_scheme = "url:";
// The prefix of dataset repositories on a hub, which may share names with models.
inline constexpr std::string_view k_hub_datasets = "hf:datasets/";

// Why a model at REVISION of SOURCE cannot be fetched, such as "must be hf:OWNER/NAME, ...";
// nullopt if it can.
std::optional<std::string> refuse_model_source(std::string_view source, std::string_view revision);

// The same for a dataset.
std::optional<std::string> refuse_dataset_source(std::string_view source,
                                                 std::string_view revision);

// The shapes listed in the help of a parameter `model`, "generate:nano|tiny"; empty if none.
std::vector<std::string> generated_shapes(std::string_view help);

// PATH of "local:PATH"; nullopt for every other scheme.
std::optional<std::string> local_source_path(std::string_view source);

// Whether REVISION always names the same content: the full hash of a commit or of a file.
bool is_pinned(std::string_view revision);
// "hf:Qwen/X@main", the key of its resolution in the store. An empty revision means main, or HEAD
// for a git repository.
std::string mutable_revision(const std::string& source, const std::string& revision);
// Whether SOURCE at REVISION must be resolved before its identity is known. Local and generated
// sources identify themselves.
bool needs_resolving(std::string_view source, std::string_view revision);

}  // namespace orch::matrix
