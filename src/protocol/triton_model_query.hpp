// Asks a Triton server what a model is like, before anything is timed.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "protocol/triton_model.hpp"
#include "wire/access.hpp"
#include "wire/endpoint.hpp"

namespace orch::protocol {

// From the page /v2/models/MODEL/config below URL, else from the model's metadata. Errors:
// not_found when the server has no such pages (a proxy); invalid when it has, and no such model, or
// none that can be read; others when it does not answer.
Result<ModelFacts> ask_model_http(const wire::Url& url, std::string_view model,
                                  const wire::Access& access,
                                  int timeout_ms = wire::k_connect_timeout_ms);

// The same by ModelConfig and ModelMetadata of the gRPC service at URL. Errors: not_found when the
// server has no such method or does not say; invalid when it has no such model; others when it does
// not answer.
Result<ModelFacts> ask_model_grpc(const wire::Url& url, std::string_view model,
                                  const wire::Access& access,
                                  int timeout_ms = wire::k_connect_timeout_ms);

// The text of /v2/models/MODEL/config. Errors, to be said of the page: not_found when it is none,
// invalid when it is nested too deeply.
Result<ModelFacts> read_model_config(std::string_view json);
// The same of /v2/models/MODEL, the metadata.
Result<ModelFacts> read_model_metadata(std::string_view json);

}  // namespace orch::protocol
