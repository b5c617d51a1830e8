// Asks a Triton server for the facts of a model before anything is timed. It does not know how
// requests use them.
#pragma once

#include "bench/protocol/triton_model.hpp"
#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::protocol {

// Recognises the kind of the server at a URL after a request of a protocol was refused: Triton or
// OpenAI, and which models it serves. It does not know how requests of a load are made.

struct ServerQuery {
  const wire::Url& url;
  std::string_view protocol;  // of the refused request
  std::string_view model;
  const wire::Access& access;
  int timeout_ms = 2000;  // of each page
};

// Why a server of another kind, or one without the model, refused the request, and the remedy: a
// protocol, or the name of a model. "" if its pages do not show that.
std::string explain_refusal(const ServerQuery& query);

// The ids of the page /v1/models. Fails when TEXT is not such a page.
Result<std::vector<std::string>> read_openai_models(std::string_view text);

// From the page /v2/models/MODEL/config below URL, else from the model's metadata. Errors:
// not_found when the server has no such pages (a proxy); invalid when it has them, but the model is
// unknown or its page unreadable; others when it does not answer.
Result<ModelFacts> ask_model_http(const wire::Url& url, std::string_view model,
                                  const wire::Access& access,
                                  int timeout_ms = wire::k_connect_timeout_ms);

// The same by ModelConfig and ModelMetadata of the gRPC service at URL. Errors: not_found when the
// server has no such method or does not report the inputs; invalid when it has no such model;
// others when it does not answer.
Result<ModelFacts> ask_model_grpc(const wire::Url& url, std::string_view model,
                                  const wire::Access& access,
                                  int timeout_ms = wire::k_connect_timeout_ms);

// Parses the text of /v2/models/MODEL/config. Errors: not_found when it is not such a page, invalid
// when it is nested too deeply. The message continues a sentence that begins with the URL.
Result<ModelFacts> read_model_config(std::string_view json);
// The same of /v2/models/MODEL, the metadata.
Result<ModelFacts> read_model_metadata(std::string_view json);

}  // namespace orch::protocol
