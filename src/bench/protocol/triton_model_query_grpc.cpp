// Queries the configuration of a model over gRPC; triton_model_query.cpp does it over HTTP.
#include "core/base/text.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_model_query.hpp"
#include "bench/wire/grpc_call.hpp"

#include <orch_proto/triton_grpc.pb.h>

namespace orch::protocol {
namespace {

constexpr const char* k_model_metadata = "/inference.GRPCInferenceService/ModelMetadata";
constexpr const char* k_model_config = "/inference.GRPCInferenceService/ModelConfig";

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

// An error of a call carries its status only as a text.
bool lacks_permission(const Error& error) {
  return error.kind == ErrorKind::invalid &&
         (error.message.find("gRPC UNAUTHENTICATED") != std::string::npos ||
          error.message.find("gRPC PERMISSION_DENIED") != std::string::npos);
}

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
                 .message = fmt::format("{} does not report the model's inputs: those of an "
                                        "ensemble are assumed, without checks",
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

// Empty: the server does not report it.
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
  if (!facts.ok() && lacks_permission(facts.error()))
    return invalid(fmt::format("{}; {}", facts.error().message, token_remedy(access)));
  if (facts.ok() || facts.error().kind != ErrorKind::not_found) return facts;
  if (std::optional<ModelFacts> metadata = ask_metadata(url, model, access, timeout_ms))
    return std::move(*metadata);
  return facts;
}

}  // namespace orch::protocol
