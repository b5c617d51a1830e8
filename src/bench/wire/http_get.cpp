#include "bench/wire/http_get.hpp"

#include "os/system/http/http.hpp"
#include "bench/wire/http_parser.hpp"

namespace orch::wire {
namespace {

class Nowhere final : public BodySink {
 public:
  void on_body(std::string_view) override {}
};

Error no_answer(const Url& url, std::string_view why) {
  return Error{.kind = ErrorKind::unavailable,
               .message = fmt::format("{} did not answer: {}", url.text(), why),
               .where = {}};
}

// What BYTES are, where an HTTP/1 head is due.
Error other_protocol(const Url& url, std::string_view bytes) {
  HttpParser parser;
  Nowhere nowhere;
  parser.feed(bytes, nowhere);
  parser.finish();
  return no_answer(url, parser.failed() ? parser.error() : "it does not speak HTTP");
}

// The addresses of URL in the order in which measuring connections try them.
Result<std::vector<std::string>> numbers_of(const Url& url) {
  ORCH_ASSIGN(const std::vector<Endpoint> endpoints, addresses_of(url));
  std::vector<std::string> numbers;
  for (const Endpoint& endpoint : endpoints) numbers.push_back(number_of(endpoint));
  return numbers;
}

Result<Page> ask(const Url& url, int timeout_ms, const Access& access) {
  ORCH_ASSIGN(std::vector<std::string> addresses, numbers_of(url));
  Result<system::HttpResponse> response =
      system::CurlHttp().send({.url = url.text(),
                               .timeout_s = timeout_ms / 1000.0,
                               .stop = access.stop,
                               .addresses = std::move(addresses),
                               .authorization = access.authorization,
                               .headers = access.headers,
                               .ca_file = access.ca_file,
                               .verify = access.verify});
  if (!response) {
    const bool interrupted = response.error().kind == ErrorKind::interrupted;
    return Error{.kind = interrupted ? ErrorKind::interrupted : ErrorKind::unavailable,
                 .message = response.error().message,
                 .where = {}};
  }
  if (response->status == 0) return other_protocol(url, response->body);
  return Page{.status = response->status, .body = std::move(response->body)};
}

}  // namespace

Result<Page> http_page(const Url& url, int timeout_ms, const Access& access) {
  Result<Page> page = ask(url, timeout_ms, access);
  if (!page.ok())
    return Error{.kind = page.error().kind,
                 .message = blacked_out(access, page.error().message),
                 .where = {}};
  black_out(access, page->body);
  return page;
}

Result<std::string> http_get(const Url& url, int timeout_ms, const Access& access) {
  ORCH_ASSIGN(Page page, http_page(url, timeout_ms, access));
  if (page.status != 200) return no_answer(url, fmt::format("HTTP {}", page.status));
  return std::move(page.body);
}

}  // namespace orch::wire
