// Recognises the kind of the server at a URL after a request of a protocol was refused: Triton or
// OpenAI, and which models it serves. It does not know how requests of a load are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::protocol {

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

}  // namespace orch::protocol
