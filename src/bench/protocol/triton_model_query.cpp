#include "bench/protocol/triton_model_query.hpp"

#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/wire/http_get.hpp"

namespace orch::protocol {
namespace {

// Model configurations are less deep.
constexpr int k_depth = 32;
// Models have fewer inputs; a page with more is not from Triton.
constexpr std::size_t k_most_tensors = 1000;

using nlohmann::json;

// TYPE_INT32 of a configuration is INT32 of metadata and requests.
std::string datatype_of(const std::string& type) {
  if (type == "TYPE_STRING") return "BYTES";
  return type.starts_with("TYPE_") ? type.substr(5) : type;
}

// JSON that is made from protobuf may hold 64-bit numbers as text.
std::int64_t integer_of(const json& value) {
  if (value.is_string()) return to_integer(value.get<std::string>()).value_or(0);
  if (value.is_number_float()) return 0;  // it may be beyond every integer
  return value.get<std::int64_t>();
}

// The keys of a page for the tensors of a model and for their properties.
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
                    .dims = {},
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

// Parses TEXT, a page with these KEYS, and converts it by MAKE.
template <class Make>
Result<ModelFacts> read_page(std::string_view text, const PageKeys& keys, Make make) {
  const Error none{
      .kind = ErrorKind::not_found,
      .message =
          "does not report the model's inputs: those of an ensemble are assumed, without checks",
      .where = {}};
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

struct ModelQuery {
  const wire::Url& url;  // of the server
  std::string_view model;
  const wire::Access& access;
  int timeout_ms;
};

// The page PATH below the model's.
Result<ModelFacts> ask_page(const ModelQuery& query, std::string_view path,
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
  return Error{.kind = facts.error().kind, .message = with_url(facts.error().message), .where = {}};
}

}  // namespace

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

Result<ModelFacts> ask_model_http(const wire::Url& url, std::string_view model,
                                  const wire::Access& access, int timeout_ms) {
  const ModelQuery query = {url, model, access, timeout_ms};
  Result<ModelFacts> facts = ask_page(query, "/config", read_model_config);
  if (facts.ok() || facts.error().kind != ErrorKind::not_found) return facts;
  Result<ModelFacts> metadata = ask_page(query, "", read_model_metadata);
  return metadata.ok() ? std::move(metadata) : std::move(facts);
}

}  // namespace orch::protocol
