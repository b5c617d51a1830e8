#include "app/session/identities/fact_text.hpp"

#include "spec/matrix/facts.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace orch::session {

namespace {

// The index of a checkpoint names each tensor.
constexpr std::uint64_t k_most_index_bytes = 256ULL << 20U;
// The largest size that is believed: 1 PiB.
constexpr double k_most_weights = 1125899906842624.0;

std::optional<std::int64_t> total_of_index(const std::string& text) {
  const nlohmann::json index = nlohmann::json::parse(
      text,
      [](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        return depth != 1 || event != nlohmann::json::parse_event_t::key || parsed == "metadata";
      },
      false);
  if (!index.is_object()) return std::nullopt;
  const auto metadata = index.find("metadata");
  if (metadata == index.end() || !metadata->is_object()) return std::nullopt;
  const auto total = metadata->find("total_size");
  if (total == metadata->end() || !total->is_number()) return std::nullopt;
  const double bytes = total->get<double>();
  if (!(bytes >= 1) || bytes > k_most_weights) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

// The size of the weights that the first of NAMES in FOLDER tells.
std::optional<std::int64_t> weights_in(system::Files& files, const std::string& folder,
                                       const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto facts = files.stat(path);
    if (!facts || facts->is_folder) continue;
    if (!name.ends_with(".json")) return static_cast<std::int64_t>(facts->bytes);
    const auto text = files.read_text(path, k_most_index_bytes);
    return text ? total_of_index(*text) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> fact_text(system::Files& files, const std::string& file,
                              const runner::FactSource& source) {
  ORCH_ASSIGN(std::string text, files.read_text(file, YamlLimits{}.bytes));
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const auto weights = weights_in(files, folder.empty() ? "." : folder, source.weights);
  return weights ? matrix::with_member(text, k_weights_key, *weights) : text;
}

}  // namespace orch::session
