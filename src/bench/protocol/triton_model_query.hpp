// Asks a Triton server for the facts of a model before anything is timed. It does not know how
// requests use them.
#pragma once

#include <string_view>

#include "core/base/result.hpp"
#include "bench/protocol/triton_model.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::protocol {

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
