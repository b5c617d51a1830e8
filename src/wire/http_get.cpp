#include "wire/http_get.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "wire/clock.hpp"
#include "wire/http_parser.hpp"
#include "wire/socket.hpp"

namespace orch::wire {
namespace {

class Text final : public BodySink {
 public:
  void on_body(std::string_view piece) override { text.append(piece); }
  std::string text;
};

Error no_answer(const Url& url, std::string_view why) {
  return Error{.kind = ErrorKind::unavailable, .message = fmt::format("http://{}{} did not answer: {}", url.authority(), url.path, why), .where = {}};
}

Status wait_for(int fd, short events, const Url& url, std::int64_t deadline_ns) {
  pollfd poll_fd{.fd = fd, .events = events, .revents = 0};
  const auto left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
  const int ready = left_ms <= 0 ? 0 : ::poll(&poll_fd, 1, static_cast<int>(left_ms));
  if (ready < 0 && errno == EINTR) return Error{.kind = ErrorKind::interrupted, .message = "interrupted while reading a page", .where = {}};
  if (ready < 0) return no_answer(url, std::strerror(errno));
  if (ready == 0) return no_answer(url, "time ran out");
  return {};
}

Status send_all(int fd, std::string_view bytes, const Url& url, std::int64_t deadline_ns) {
  while (!bytes.empty()) {
    ORCH_TRY(wait_for(fd, POLLOUT, url, deadline_ns));
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return no_answer(url, std::strerror(errno));
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Status receive(int fd, HttpParser& parser, Text& body, const Url& url, std::int64_t deadline_ns) {
  char buffer[16 * 1024];
  while (!parser.complete() && !parser.failed()) {
    ORCH_TRY(wait_for(fd, POLLIN, url, deadline_ns));
    const ssize_t received = ::recv(fd, buffer, sizeof buffer, 0);
    if (received < 0 && errno != EAGAIN) return no_answer(url, std::strerror(errno));
    if (received == 0) parser.finish();
    if (received > 0) parser.feed({buffer, static_cast<std::size_t>(received)}, body);
    if (body.text.size() > k_page_bytes) return no_answer(url, fmt::format("its page is larger than {} MiB", k_page_bytes >> 20));
  }
  if (parser.failed()) return no_answer(url, parser.error());
  return {};
}

}  // namespace

Result<Page> http_page(const Url& url, int timeout_ms, std::string_view authorization) {
  const std::int64_t deadline_ns = monotonic_ns() + timeout_ms * std::int64_t{1'000'000};
  ORCH_ASSIGN(const Endpoint endpoint, resolve(url));
  bool pending = false;
  const system::Descriptor fd = start_connect(endpoint, pending);
  if (!fd) return connect_error(endpoint, errno);
  if (pending) ORCH_TRY(wait_connected(fd.get(), endpoint, deadline_ns));
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}{}{}Connection: close\r\n\r\n", url.path.empty() ? "/" : url.path, url.authority(),
                                          authorization.empty() ? "" : "Authorization: ", authorization, authorization.empty() ? "" : "\r\n");
  ORCH_TRY(send_all(fd.get(), request, url, deadline_ns));
  HttpParser parser;
  Text body;
  ORCH_TRY(receive(fd.get(), parser, body, url, deadline_ns));
  return Page{.status = parser.status(), .body = std::move(body.text)};
}

Result<std::string> http_get(const Url& url, int timeout_ms) {
  ORCH_ASSIGN(Page page, http_page(url, timeout_ms));
  if (page.status != 200) return no_answer(url, fmt::format("HTTP {}", page.status));
  return std::move(page.body);
}

}  // namespace orch::wire
