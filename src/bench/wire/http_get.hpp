// One HTTP GET, through libcurl, for small control pages between measurements. Does not interpret
// the page.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"

namespace orch::wire {

struct Page {
  int status = 0;
  std::string body;
};

// GET URL; blocks for at most TIMEOUT_MS. Errors: no connection, no complete answer in time, an
// answer of more than system::k_most_answer_bytes. The secrets of ACCESS are redacted in errors and
// in the page.
Result<Page> http_page(const Url& url, int timeout_ms, const Access& access = {});

// The body of http_page(); a status other than 200 is an error as well.
Result<std::string> http_get(const Url& url, int timeout_ms, const Access& access = {});

}  // namespace orch::wire
