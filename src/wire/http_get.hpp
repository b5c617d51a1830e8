// One GET with our own client, for small control pages between the timed loops. It does not look
// into what it reads.
#pragma once

#include <string>

#include "base/result.hpp"
#include "wire/access.hpp"
#include "wire/endpoint.hpp"

namespace orch::wire {

// The most that is read of one answer.
inline constexpr std::size_t k_page_bytes = 4 << 20;

struct Page {
  int status = 0;
  std::string body;
};

// GET URL, blocking, for at most TIMEOUT_MS. Errors: no connection, no complete answer in time, an
// answer of more than k_page_bytes. Neither they nor the page repeat the token of ACCESS.
Result<Page> http_page(const Url& url, int timeout_ms, const Access& access = {});

// The body of that page. Errors: no connection, no complete answer in time, a status other than
// 200, an answer of more than k_page_bytes.
Result<std::string> http_get(const Url& url, int timeout_ms, const Access& access = {});

}  // namespace orch::wire
