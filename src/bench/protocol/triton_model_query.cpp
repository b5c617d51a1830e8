#include "bench/protocol/triton_model_query.hpp"

#include "bench/protocol/protocol.hpp"
#include "bench/wire/http_get.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <nlohmann/json.hpp>
#include <orch_proto/triton_grpc.pb.h>

namespace orch::protocol {

namespace {

using nlohmann::json;

constexpr int k_depth = 32;  // configurations and lists of models are less deeply nested
constexpr std::size_t k_most_models = 10'000;
constexpr std::size_t k_shown_ids = 10;
constexpr const char* k_health_page = "/v2/health/ready";
constexpr const char* k_models_page = "/v1/models";
constexpr const char* k_server_live = "/inference.GRPCInferenceService/ServerLive";
constexpr const char* k_openai_names = "--protocol openai-chat or openai-completions";

// What the pages of a server returned.
struct ServerPages {
  std::string url;                  // without a path
  int health_status = 0;            // of Triton's page; 0: no response
  int models_status = 0;            // of OpenAI's page
  std::vector<std::string> models;  // listed there
  bool lists_models = false;
  bool speaks_grpc = false;  // Triton's service; queried only if neither page responds

  bool is_triton() const { return health_status == 200; }
};

wire::Url page_url(const ServerQuery& query, std::string path) {
  wire::Url url = query.url;
  url.path = std::move(path);
  return url;
}

// The path before /v1 and the paths of OpenAI's endpoints.
std::string base_path(const wire::Url& url) {
  const std::string path = openai_path(url, "");
  return path.substr(0, path.rfind("/v1"));
}

ServerPages ask_pages(const ServerQuery& query) {
  const auto page_of = [&](std::string path) {
    return wire::http_page(page_url(query, std::move(path)), query.timeout_ms, query.access);
  };
  ServerPages pages;
  pages.url = page_url(query, "").text();
  if (const auto health = page_of(base_path(query.url) + k_health_page); health.ok())
    pages.health_status = health->status;
  if (const auto models = page_of(openai_path(query.url, "/models")); models.ok()) {
    pages.models_status = models->status;
    if (auto read = read_openai_models(models->body); models->status == 200 && read.ok()) {
      pages.models = std::move(*read);
      pages.lists_models = true;
    }
  }
  if (pages.health_status == 0 && pages.models_status == 0 && query.protocol != "triton-grpc")
    pages.speaks_grpc =
        wire::grpc_call(query.url, k_server_live, "", query.timeout_ms, query.access).ok();
  return pages;
}

std::string answer_of(int status) {
  return status == 0 ? "does not answer" : fmt::format("answers {}", status);
}

std::string explain_to_triton(const ServerQuery& query, const ServerPages& pages) {
  if (pages.speaks_grpc)
    return fmt::format(
        "{} is the gRPC port of a Triton server; use --protocol triton-grpc, or its HTTP port",
        pages.url);
  if (pages.is_triton())
    return query.protocol == "triton-grpc"
               ? fmt::format(
                     "{} is the HTTP port of a Triton server; use --protocol triton-http "
                     "with http://, or its gRPC port",
                     pages.url)
               : "";
  if (!pages.lists_models) return "";
  return fmt::format("no Triton at {}: {} {}, but {} answers; use {}", pages.url, k_health_page,
                     answer_of(pages.health_status), k_models_page, k_openai_names);
}

std::string explain_to_openai(const ServerQuery& query, const ServerPages& pages) {
  if (pages.speaks_grpc)
    return fmt::format(
        "no OpenAI server at {}: it is the gRPC port of a Triton server; use --protocol "
        "triton-grpc",
        pages.url);
  constexpr int k_ok = 200;  // with another page, this server answers every path: no proof
  if (!pages.lists_models)
    return pages.is_triton() && pages.models_status != k_ok
               ? fmt::format(
                     "no OpenAI server at {}: {} {}, but {} answers; use --protocol "
                     "triton-http",
                     pages.url, k_models_page, answer_of(pages.models_status), k_health_page)
               : "";
  const std::vector<std::string>& models = pages.models;
  if (models.empty() || std::ranges::find(models, query.model) != models.end()) return "";
  const std::size_t shown = std::min(models.size(), k_shown_ids);
  return fmt::format(
      "{} has no model {}; its models are: {}{}{}", pages.url, quoted(query.model),
      join(std::span(models).first(shown), ", "),
      shown < models.size() ? fmt::format(" and {} more", models.size() - shown) : "",
      did_you_mean(query.model, models));
}

// Models have fewer inputs; a page with more is not from Triton.
constexpr std::size_t k_most_tensors = 1000;

// TYPE_INT32 in a configuration is INT32 in metadata and requests.
std::string datatype_of(const std::string& type) {
  if (type == "TYPE_STRING") return "BYTES";
  return type.starts_with("TYPE_") ? type.substr(5) : type;
}

// JSON generated from protobuf may have 64-bit numbers as text.
std::int64_t integer_of(const json& value) {
  if (value.is_string()) return to_integer(value.get<std::string>()).value_or(0);
  if (value.is_number_float()) return 0;  // it may be out of range of every integer type
  return value.get<std::int64_t>();
}

// The keys of a page for a model's tensors and properties.
struct PageKeys {
  const char* tensors;
  const char* datatype;
  const char* dims;
};
constexpr PageKeys k_config = {"input", "data_type", "dims"};
constexpr PageKeys k_metadata = {"inputs", "datatype", "shape"};

std::vector<ModelTensor> tensors_of(const json& page, const PageKeys& keys) {
  std::vector<ModelTensor> out;
  const json tensors = page.value(keys.tensors, json::array());
  if (tensors.size() > k_most_tensors) return out;
  for (const json& tensor : tensors) {
    ModelTensor one{.name = tensor.at("name").get<std::string>(),
                    .datatype = datatype_of(tensor.at(keys.datatype).get<std::string>()),
                    .optional = tensor.value("optional", false)};
    for (const json& dim : tensor.at(keys.dims)) one.dims.push_back(integer_of(dim));
    out.push_back(std::move(one));
  }
  return out;
}

bool has_true(const json& config, const char* parameter) {
  const json parameters = config.value("parameters", json::object());
  const json one = parameters.value(parameter, json::object());
  return lower(one.value("string_value", "")) == "true";
}

std::string refusal_of(std::string_view body) {
  const json value = parse_shallow<json>(body, k_depth).value;
  if (!value.is_object() || !value.contains("error") || !value["error"].is_string()) return {};
  return value["error"].get<std::string>();
}

// Parses TEXT, a page with these KEYS, and converts it with MAKE.
template <class Make>
Result<ModelFacts> read_page(std::string_view text, const PageKeys& keys, Make make) {
  const Error none{
      .kind = ErrorKind::not_found,
      .message =
          "does not report the model's inputs: those of an ensemble are assumed, without checks"};
  const auto [page, too_deep] = parse_shallow<json>(text, k_depth);
  if (too_deep)
    return invalid(fmt::format(
        "reports a model configuration nested deeper than {}: is this a Triton server?", k_depth));
  if (!page.is_object() || !page.contains("name") || !page.contains(keys.tensors)) return none;
  try {
    return make(page);
  } catch (const json::exception&) {
    return none;
  }
}

// The facts on the page PATH below the model's own.
Result<ModelFacts> ask_page(const ServerQuery& query, std::string_view path,
                            Result<ModelFacts> (*read)(std::string_view)) {
  const std::string_view model = query.model;
  wire::Url page_url = query.url;
  page_url.path = fmt::format("{}/v2/models/{}{}", query.url.path, wire::path_segment(model), path);
  ORCH_ASSIGN(const wire::Page page, wire::http_page(page_url, query.timeout_ms, query.access));
  const auto with_url = [&](std::string_view what) {
    return fmt::format("{} {}", page_url.text(), what);
  };
  const std::string refusal =
      page.status == 200 ? "" : printable(refusal_of(page.body).substr(0, 300));
  if (page.status == 401 || page.status == 403)
    return invalid(
        with_url(fmt::format("requires authorization (HTTP {}{}); {}", page.status,
                             refusal.empty() ? "" : ": " + refusal, token_remedy(query.access))));
  if (!refusal.empty())
    return invalid(fmt::format("the server has no model '{}' ready: {}", model, refusal));
  Result<ModelFacts> facts = read(page.status == 200 ? page.body : "");
  if (facts.ok()) return facts;
  return Error{.kind = facts.error().kind, .message = with_url(facts.error().message)};
}

// Asks for a model's configuration over gRPC.

constexpr const char* k_model_metadata = "/inference.GRPCInferenceService/ModelMetadata";
constexpr const char* k_model_config = "/inference.GRPCInferenceService/ModelConfig";

// TYPE_INT32 in a configuration is INT32 in requests.
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

// The error of a call has its status only as text.
bool lacks_permission(const Error& error) {
  return error.kind == ErrorKind::invalid &&
         (error.message.find("gRPC UNAUTHENTICATED") != std::string::npos ||
          error.message.find("gRPC PERMISSION_DENIED") != std::string::npos);
}

// The answer of METHOD to a Request that names the model.
template <class Request>
Result<std::string> call_for_model(const ServerQuery& query, const char* method) {
  Request request;
  request.set_name(std::string(query.model));
  return wire::grpc_call(query.url, method, request.SerializeAsString(), query.timeout_ms,
                         query.access);
}

Result<ModelFacts> ask_config(const ServerQuery& query) {
  ORCH_ASSIGN(const std::string answer,
              call_for_model<inference::ModelConfigRequest>(query, k_model_config));
  inference::ModelConfigResponse response;
  if (!response.ParseFromString(answer) || response.config().input_size() == 0)
    return Error{.kind = ErrorKind::not_found,
                 .message = fmt::format("{} does not report the model's inputs: those of an "
                                        "ensemble are assumed, without checks",
                                        query.url.authority())};
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

// nullopt: the server does not report the metadata.
std::optional<ModelFacts> ask_metadata(const ServerQuery& query) {
  const auto answer = call_for_model<inference::ModelMetadataRequest>(query, k_model_metadata);
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

std::string explain_refusal(const ServerQuery& query) {
  const ServerPages pages = ask_pages(query);
  return is_triton(query.protocol) ? explain_to_triton(query, pages)
                                   : explain_to_openai(query, pages);
}

Result<std::vector<std::string>> read_openai_models(std::string_view text) {
  const json page = parse_shallow<json>(text, k_depth).value;
  if (!page.is_object() || !page.contains("data") || !page["data"].is_array() ||
      page["data"].size() > k_most_models)
    return invalid("the page does not list models");
  std::vector<std::string> models;
  for (const json& model : page["data"])
    if (model.is_object() && model.contains("id") && model["id"].is_string())
      models.push_back(printable(model["id"].get<std::string>()));
  return models;
}

Result<ModelFacts> read_model_config(std::string_view text) {
  return read_page(text, k_config, [](const json& config) {
    ModelFacts facts;
    facts.name = config.at("name").get<std::string>();
    facts.inputs = tensors_of(config, k_config);
    facts.max_batch_size = integer_of(config.value("max_batch_size", json(0)));
    facts.decoupled =
        config.value("model_transaction_policy", json::object()).value("decoupled", false);
    facts.accumulates = has_true(config, "accumulate_tokens");
    facts.ensemble = config.value("platform", "") == ModelFacts::k_ensemble;
    return facts;
  });
}

Result<ModelFacts> read_model_metadata(std::string_view text) {
  return read_page(text, k_metadata, [](const json& metadata) {
    return facts_of_metadata(metadata.at("name").get<std::string>(), metadata.value("platform", ""),
                             tensors_of(metadata, k_metadata));
  });
}

Result<ModelFacts> ask_model_http(const ServerQuery& query) {
  Result<ModelFacts> facts = ask_page(query, "/config", read_model_config);
  if (facts.ok() || facts.error().kind != ErrorKind::not_found) return facts;
  Result<ModelFacts> metadata = ask_page(query, "", read_model_metadata);
  return metadata.ok() ? std::move(metadata) : std::move(facts);
}

Result<ModelFacts> ask_model_grpc(const ServerQuery& query) {
  Result<ModelFacts> facts = ask_config(query);
  if (!facts.ok() && lacks_permission(facts.error()))
    return invalid(fmt::format("{}; {}", facts.error().message, token_remedy(query.access)));
  if (facts.ok() || facts.error().kind != ErrorKind::not_found) return facts;
  if (std::optional<ModelFacts> metadata = ask_metadata(query)) return std::move(*metadata);
  return facts;
}

}  // namespace orch::protocol
