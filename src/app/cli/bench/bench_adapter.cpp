#include "app/cli/bench/bench_adapter.hpp"

#include <array>
#include <filesystem>

#include "core/base/digest.hpp"
#include "app/cli/bench/bench_options.hpp"
#include "os/system/files.hpp"

namespace orch::cli {
namespace {

constexpr std::string_view k_weights = "lora_weights", k_config = "lora_config";
constexpr std::string_view k_older_config = "lora_keys";                // of releases before 0.9
constexpr std::uint64_t k_most_message_bytes = std::uint64_t{2} << 30;  // of a gRPC message

struct AdapterFiles {
  std::string weights, config;
};

// NAME with WORD in place of the word for weights; "" where it has none.
std::string beside(const std::string& name, std::string_view word) {
  const std::size_t at = name.rfind(k_weights);
  if (at == std::string::npos) return "";
  return name.substr(0, at) + std::string(word) + name.substr(at + k_weights.size());
}

Result<AdapterFiles> find_files(const std::string& given, system::Files& files) {
  const bool is_folder = std::filesystem::is_directory(given);
  AdapterFiles out{.weights = is_folder ? given + "/model.lora_weights.npy" : given, .config = ""};
  const std::filesystem::path path = out.weights;
  for (const std::string_view word : {k_config, k_older_config}) {
    const std::string name = beside(path.filename().string(), word);
    const std::string config = (path.parent_path() / name).string();
    if (out.config.empty() && !name.empty() && files.exists(config)) out.config = config;
  }
  if (!files.exists(out.weights))
    return invalid(
        fmt::format("--lora {}: {} does not exist; give the folder that "
                    "hf_lora_convert.py wrote",
                    given, out.weights));
  if (out.config.empty())
    return invalid(
        fmt::format("--lora {}: there is no {} beside {}; give the folder that "
                    "hf_lora_convert.py wrote",
                    given, "model.lora_config.npy", out.weights));
  return out;
}

Result<std::shared_ptr<const protocol::NpyArray>> read_array(const std::string& file,
                                                             const std::string& text) {
  ORCH_ASSIGN(protocol::NpyArray array, protocol::read_npy(text, "--lora: " + file));
  return std::make_shared<const protocol::NpyArray>(std::move(array));
}

// The last dimension of a configuration holds module, layer and rank; each row has one of weights.
Status check_pair(const protocol::NpyArray& weights, const protocol::NpyArray& config) {
  const auto rows = [](const protocol::NpyArray& array) {
    return array.shape.size() < 2 ? 0 : array.shape[array.shape.size() - 2];
  };
  if (config.shape.size() >= 2 && config.shape.back() == 3 && rows(config) == rows(weights))
    return {};
  return invalid(fmt::format(
      "{} has the shape [{}] and {} [{}]; an adapter has one row of [module, "
      "layer, rank] for each row of weights",
      config.file, fmt::join(config.shape, ", "), weights.file, fmt::join(weights.shape, ", ")));
}

}  // namespace

Status read_adapter(BenchCommand& command) {
  if (command.lora.empty()) return {};
  system::RealFiles files;
  ORCH_ASSIGN(const AdapterFiles found, find_files(command.lora, files));
  ORCH_ASSIGN(const std::string weights_text, files.read_text(found.weights, k_most_message_bytes));
  ORCH_ASSIGN(const std::string config_text, files.read_text(found.config, k_most_message_bytes));
  ORCH_ASSIGN(const auto weights, read_array(found.weights, weights_text));
  ORCH_ASSIGN(const auto config, read_array(found.config, config_text));
  ORCH_TRY(check_pair(*weights, *config));
  command.options.adapter = {{"lora_weights", weights}, {"lora_config", config}};
  command.options.sampling.lora_weights_sha256 = sha256(weights_text + config_text).hex();
  return {};
}

}  // namespace orch::cli
