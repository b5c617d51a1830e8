// The configuration of a model over gRPC, as triton_ask.cpp has it over HTTP.
#include "base/text.hpp"
#include "load/triton_ask.hpp"
#include "wire/grpc_call.hpp"

#include <orch_proto/triton_grpc.pb.h>

namespace orch::load {
namespace {

constexpr int k_statistics_timeout_ms = 2'000;  // between the timed loops, as for pages
constexpr const char* k_model_metadata = "/inference.GRPCInferenceService/ModelMetadata";
constexpr const char* k_model_config = "/inference.GRPCInferenceService/ModelConfig";
constexpr const char* k_model_statistics = "/inference.GRPCInferenceService/ModelStatistics";

// TYPE_INT32 of a configuration is INT32 of requests.
std::string datatype_of(inference::DataType type) {
  static constexpr const char* k_names[] = {"",       "BOOL", "UINT8", "UINT16", "UINT32",
                                            "UINT64", "INT8", "INT16", "INT32",  "INT64",
                                            "FP16",   "FP32", "FP64",  "BYTES",  "BF16"};
  const auto index = static_cast<std::size_t>(type);
  return index < std::size(k_names) ? k_names[index] : "";
}

template <class Tensors> std::vector<ModelTensor> tensors_of(const Tensors& tensors) {
  std::vector<ModelTensor> out;
  for (const auto& tensor : tensors) {
    ModelTensor one{.name = tensor.name(),
                    .datatype = datatype_of(tensor.data_type()),
                    .dims = {tensor.dims().begin(), tensor.dims().end()}};
    if constexpr (requires { tensor.optional(); }) one.optional = tensor.optional();
    out.push_back(std::move(one));
  }
  return out;
}

Spent spent(const inference::StatisticDuration& of) { return {.count = of.count(), .ns = of.ns()}; }

Result<ModelFacts> ask_config(const wire::Url& url, std::string_view model,
                              const wire::Access& access, int timeout_ms) {
  inference::ModelConfigRequest request;
  request.set_name(std::string(model));
  ORCH_ASSIGN(
      const std::string answer,
      wire::grpc_call(url, k_model_config, request.SerializeAsString(), timeout_ms, access));
  inference::ModelConfigResponse response;
  if (!response.ParseFromString(answer) || response.config().input_size() == 0)
    return Error{.kind = ErrorKind::not_found,
                 .message = fmt::format("{} does not tell the model's inputs: they are taken to be "
                                        "those of an ensemble, and not checked",
                                        url.authority()),
                 .where = {}};
  const inference::ModelConfig& config = response.config();
  ModelFacts facts{.name = config.name(),
                   .inputs = tensors_of(config.input()),
                   .max_batch_size = config.max_batch_size(),
                   .decoupled = config.model_transaction_policy().decoupled(),
                   .accumulates = false,
                   .ensemble = config.platform() == ModelFacts::k_ensemble};
  if (const auto found = config.parameters().find("accumulate_tokens");
      found != config.parameters().end())
    facts.accumulates = lower(found->second.string_value()) == "true";
  return facts;
}

// Empty: it does not tell.
std::optional<ModelFacts> ask_metadata(const wire::Url& url, std::string_view model,
                                       const wire::Access& access, int timeout_ms) {
  inference::ModelMetadataRequest request;
  request.set_name(std::string(model));
  const Result<std::string> answer =
      wire::grpc_call(url, k_model_metadata, request.SerializeAsString(), timeout_ms, access);
  inference::ModelMetadataResponse response;
  if (!answer.ok() || !response.ParseFromString(*answer) || response.inputs_size() == 0) return {};
  std::vector<ModelTensor> tensors;
  for (const auto& tensor : response.inputs())
    tensors.push_back({.name = tensor.name(),
                       .datatype = tensor.datatype(),
                       .dims = {tensor.shape().begin(), tensor.shape().end()}});
  return facts_of_metadata(response.name(), response.platform(), std::move(tensors));
}

}  // namespace

Result<ModelFacts> ask_model_grpc(const wire::Url& url, std::string_view model,
                                  const wire::Access& access, int timeout_ms) {
  Result<ModelFacts> facts = ask_config(url, model, access, timeout_ms);
  if (facts.ok() || facts.error().kind != ErrorKind::not_found) return facts;
  if (std::optional<ModelFacts> metadata = ask_metadata(url, model, access, timeout_ms))
    return std::move(*metadata);
  return facts;
}

Result<StatisticsPage> ask_statistics_grpc(const wire::Url& url, const wire::Access& access) {
  ORCH_ASSIGN(const std::string answer,
              wire::grpc_call(url, k_model_statistics,
                              inference::ModelStatisticsRequest().SerializeAsString(),
                              k_statistics_timeout_ms, access));
  inference::ModelStatisticsResponse response;
  if (!response.ParseFromString(answer))
    return Error{
        .kind = ErrorKind::unavailable,
        .message = fmt::format("{} sent what are no statistics of models", url.authority()),
        .where = {}};
  StatisticsPage page;
  for (const inference::ModelStatistics& model : response.model_stats()) {
    if (page.size() == k_most_models) break;
    if (model.name().empty() || model.name().size() > k_longest_model_name) continue;
    const inference::InferStatistics& stats = model.inference_stats();
    page.push_back({.model = model.name(),
                    .version = model.version(),
                    .inference_count = model.inference_count(),
                    .execution_count = model.execution_count(),
                    .success = spent(stats.success()),
                    .fail = spent(stats.fail()),
                    .queue = spent(stats.queue()),
                    .compute_input = spent(stats.compute_input()),
                    .compute_infer = spent(stats.compute_infer()),
                    .compute_output = spent(stats.compute_output()),
                    .cache_hit = spent(stats.cache_hit()),
                    .cache_miss = spent(stats.cache_miss())});
  }
  return page;
}

}  // namespace orch::load
