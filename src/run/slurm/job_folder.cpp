#include "run/slurm/job_folder.hpp"

#include "core/base/text.hpp"
#include "run/slurm/server_ranks.hpp"

#include <filesystem>

namespace orch::slurm {

std::string job_variable(const std::map<std::string, std::string>& environment,
                         const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string job_store(const std::string& folder) {
  return std::filesystem::path(folder).parent_path().parent_path().parent_path().string();
}

std::string job_attempt(const std::string& folder) {
  return std::filesystem::path(job_store(folder)).parent_path().string();
}

std::string job_token(JobFiles& files, const std::map<std::string, std::string>& environment,
                      const std::string& folder) {
  const auto index = environment.find("SLURM_ARRAY_TASK_ID");
  std::optional<std::int64_t> place =
      index == environment.end() ? std::optional<std::int64_t>(0) : to_integer(index->second);
  if (const auto rank = ServerRanks::rank_of(environment, folder)) place = *rank;
  const auto tokens = files.tokens_of(std::filesystem::path(folder).filename().string());
  if (!place || *place < 0 || static_cast<std::size_t>(*place) >= tokens.size()) return "";
  return tokens[static_cast<std::size_t>(*place)];
}

}  // namespace orch::slurm
