// Asks a Triton server for the facts of a model before anything is timed.
#pragma once

#include "bench/protocol/triton_model.hpp"
#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::protocol {

struct ServerQuery {
  const wire::Url& url;
  std::string_view protocol;  // of the requests
  std::string_view model;
  const wire::Access& access;
  int timeout_ms = wire::k_connect_timeout_ms;  // for each page or call
};

// After a request was refused, finds out what kind of server is at a URL, Triton or OpenAI, and
// which models it serves.

// Why a server of another kind, or one without the model, refused the request, and the remedy: a
// protocol or a model name. "" if its pages do not show that.
std::string explain_refusal(const ServerQuery& query);

// The ids of the models on the page /v1/models. Fails if TEXT is not such a page.
Result<std::vector<std::string>> read_openai_models(std::string_view text);

// The facts from the page /v2/models/MODEL/config below the URL, otherwise from the model's
// metadata. Errors: not_found if the server does not report the inputs (a proxy); invalid if the
// model is unknown or not ready, authorization is missing, or the page is nested too deeply; others
// if it does not answer.
Result<ModelFacts> ask_model_http(const ServerQuery& query);

// The same by ModelConfig and ModelMetadata of the gRPC service at the URL. Errors: not_found if
// the server has no such method or does not report the inputs; invalid if it has no such model or
// authorization is missing; others if it does not answer.
Result<ModelFacts> ask_model_grpc(const ServerQuery& query);

// Parses the text of /v2/models/MODEL/config. Errors: not_found if JSON is not such a page, invalid
// if it is nested too deeply. The message continues a sentence that begins with the URL.
Result<ModelFacts> read_model_config(std::string_view json);
// The same for /v2/models/MODEL, the metadata.
Result<ModelFacts> read_model_metadata(std::string_view json);

}  // namespace orch::protocol
