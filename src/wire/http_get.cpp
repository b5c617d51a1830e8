#include "wire/http_get.hpp"

#include <poll.h>

#include <cerrno>

#include "wire/channel.hpp"
#include "wire/clock.hpp"
#include "wire/http_parser.hpp"

namespace orch::wire {
namespace {

class Text final : public BodySink {
 public:
  void on_body(std::string_view piece) override { text.append(piece); }
  std::string text;
};

Error no_answer(const Url& url, std::string_view why) {
  return Error{.kind = ErrorKind::unavailable,
               .message = fmt::format("{} did not answer: {}", url.text(), why),
               .where = {}};
}

Status wait_for(const Channel& channel, short events, const Url& url, std::int64_t deadline_ns) {
  Status waited = channel.wait(events, deadline_ns);
  if (!waited.ok() && waited.error().kind == ErrorKind::timeout)
    return no_answer(url, "time ran out");
  return waited;
}

Status send_all(Channel& channel, std::string_view bytes, const Url& url,
                std::int64_t deadline_ns) {
  while (!bytes.empty()) {
    const ssize_t sent = channel.write(bytes);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN) ORCH_TRY(wait_for(channel, POLLOUT, url, deadline_ns));
    else if (errno != EINTR) return no_answer(url, channel.trouble());
  }
  return {};
}

// A server that sent nothing may be waiting for TLS.
std::string doubt(const Url& url, const HttpParser& parser) {
  return parser.started() || url.tls ? "" : "; is it https?";
}

Status receive(Channel& channel, HttpParser& parser, Text& body, const Url& url,
               std::int64_t deadline_ns) {
  char buffer[16 * 1024];
  while (!parser.complete() && !parser.failed()) {
    if (monotonic_ns() > deadline_ns)
      return no_answer(url,
                       "time ran out");  // a server may send heads and trailers without a pause
    const ssize_t received = channel.read(buffer, sizeof buffer);
    if (received < 0 && errno == EAGAIN) ORCH_TRY(wait_for(channel, POLLIN, url, deadline_ns));
    else if (received < 0 && errno != EINTR)
      return no_answer(url, channel.trouble() + doubt(url, parser));
    if (received == 0) parser.finish();
    if (received > 0) parser.feed({buffer, static_cast<std::size_t>(received)}, body);
    if (body.text.size() > k_page_bytes)
      return no_answer(url, fmt::format("its page is larger than {} MiB", k_page_bytes >> 20));
  }
  if (!parser.failed()) return {};
  return no_answer(url, parser.error() + doubt(url, parser));
}

}  // namespace

namespace {

Result<Page> ask(const Url& url, int timeout_ms, const Access& access) {
  const std::int64_t deadline_ns = monotonic_ns() + timeout_ms * std::int64_t{1'000'000};
  ORCH_ASSIGN(const std::vector<Endpoint> endpoints, addresses_of(url));
  std::optional<TlsContext> tls;
  if (url.tls) tls.emplace(access, "");
  Channel channel;
  ORCH_TRY(channel.open(endpoints, tls ? &*tls : nullptr, deadline_ns));
  const std::string authorization =
      access.authorization.empty() ? ""
                                   : fmt::format("Authorization: {}\r\n", access.authorization);
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n",
                  url.path.empty() ? "/" : url.path, url.authority(), authorization);
  ORCH_TRY(send_all(channel, request, url, deadline_ns));
  HttpParser parser;
  Text body;
  ORCH_TRY(receive(channel, parser, body, url, deadline_ns));
  return Page{.status = parser.status(), .body = std::move(body.text)};
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
