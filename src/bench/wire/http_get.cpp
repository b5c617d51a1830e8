#include "bench/wire/http_get.hpp"

#include "bench/wire/channel.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/grpc_session.hpp"
#include "bench/wire/http_parser.hpp"
#include "os/system/http/http.hpp"

#include <cerrno>

#include <poll.h>

namespace orch::wire {

namespace {

class Nowhere final : public BodySink {
 public:
  void on_body(std::string_view) override {}
};

Error no_answer(const Url& url, std::string_view why) {
  return Error{.kind = ErrorKind::unavailable,
               .message = fmt::format("{} did not answer: {}", url.text(), why)};
}

// Identifies BYTES that arrived instead of an HTTP/1 head.
Error other_protocol(const Url& url, std::string_view bytes) {
  HttpParser parser;
  Nowhere nowhere;
  parser.feed(bytes, nowhere);
  parser.finish();
  return no_answer(url, parser.failed() ? parser.error() : "it does not speak HTTP");
}

// The addresses of URL in the order in which the connections of a load try them.
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
                 .message = response.error().message};
  }
  if (response->status == 0) return other_protocol(url, response->body);
  return Page{.status = response->status, .body = std::move(response->body)};
}

ErrorKind kind_of(int status) {
  constexpr int k_invalid_argument = 1003, k_not_found = 1005, k_permission_denied = 1007,
                k_unimplemented = 1012, k_unauthenticated = 1016;
  if (status == k_unimplemented) return ErrorKind::not_found;
  const bool refused = status == k_invalid_argument || status == k_not_found ||
                       status == k_permission_denied || status == k_unauthenticated;
  return refused ? ErrorKind::invalid : ErrorKind::unavailable;
}

class Caller final : private GrpcSession::Listener {
 public:
  Caller(const Url& url, std::string method, const Access& access)
      : url_(url), access_(access), method_(std::move(method)), authority_(url.authority()) {}

  Result<std::string> call(std::string_view message, std::int64_t deadline_ns) {
    ORCH_ASSIGN(const std::vector<Endpoint> endpoints, addresses_of(url_));
    std::optional<TlsContext> tls;
    if (url_.tls) tls.emplace(access_, "h2");
    Channel channel;
    ORCH_TRY(channel.open(endpoints, tls ? &*tls : nullptr, deadline_ns));
    GrpcSession session({.scheme = url_.tls ? "https" : "http",
                         .authority = authority_,
                         .method = method_,
                         .authorization = access_.authorization,
                         .headers = access_.headers},
                        *this);
    session.call(0, message, exchange_);
    while (!ended_) {
      if (!session.alive()) return no_answer(session.trouble());
      ORCH_TRY(send(channel, session, deadline_ns));
      ORCH_TRY(receive(channel, session, deadline_ns));
    }
    return answer();
  }

 private:
  void on_call_end(SlotId, bool) override { ended_ = true; }

  Error no_answer(std::string_view why, ErrorKind kind = ErrorKind::unavailable) const {
    return {.kind = kind,
            .message = fmt::format("{} did not answer {}: {}", authority_, method_, why)};
  }

  Status send(Channel& channel, GrpcSession& session, std::int64_t deadline_ns) {
    std::string bytes;
    for (session.take_bytes(bytes, k_buffer_bytes); !bytes.empty();
         session.take_bytes(bytes, k_buffer_bytes)) {
      const ssize_t sent = channel.write(bytes);
      if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
      else if (errno == EAGAIN) ORCH_TRY(channel.wait(POLLOUT, deadline_ns));
      else return {};  // the next read reports why
    }
    return {};
  }

  Status receive(Channel& channel, GrpcSession& session, std::int64_t deadline_ns) {
    char buffer[k_buffer_bytes];
    const ssize_t received = channel.read(buffer, sizeof buffer);
    if (received > 0) {
      received_bytes_ += static_cast<std::size_t>(received);
      session.receive({buffer, static_cast<std::size_t>(received)}, monotonic_ns());
      return check_limits(channel, deadline_ns);
    }
    if (received == 0)
      return no_answer(session.settled() ? "it closed the connection"
                       : url_.tls
                           ? "it closed the connection; is this the gRPC port?"
                           : "it closed the connection; is this the gRPC port, or is it https?");
    if (errno == EAGAIN) return channel.wait(POLLIN, deadline_ns);
    if (errno != EINTR) return no_answer(channel.trouble());
    return {};
  }

  // receive() never waits if a server sends without end, so the limits are checked here.
  Status check_limits(const Channel& channel, std::int64_t deadline_ns) const {
    if (ended_) return {};
    if (received_bytes_ > system::k_most_answer_bytes)
      return Error{.kind = ErrorKind::unavailable,
                   .message = fmt::format("{} answered {} with more than {} MiB", authority_,
                                          method_, system::k_most_answer_bytes >> 20)};
    if (monotonic_ns() <= deadline_ns) return {};
    return Error{.kind = ErrorKind::timeout,
                 .message = fmt::format("{} did not answer in time", channel.endpoint().name)};
  }

  Result<std::string> answer() {
    if (exchange_.broken) return no_answer(exchange_.error);
    if (exchange_.status != 200) return no_answer(exchange_.error, kind_of(exchange_.status));
    std::vector<std::string> messages;
    exchange_.take_events(
        [&](std::string_view message, const Exchange::Event&) { messages.emplace_back(message); });
    if (messages.size() != 1)
      return no_answer(fmt::format("it sent {} messages instead of one", messages.size()));
    return std::move(messages.front());
  }

  static constexpr std::size_t k_buffer_bytes = 16 * 1024;

  const Url& url_;
  const Access& access_;
  std::string method_;
  std::string authority_;
  Exchange exchange_;
  std::size_t received_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<Page> http_page(const Url& url, int timeout_ms, const Access& access) {
  Result<Page> page = ask(url, timeout_ms, access);
  if (!page.ok())
    return Error{.kind = page.error().kind, .message = blacked_out(access, page.error().message)};
  black_out(access, page->body);
  return page;
}

Result<std::string> http_get(const Url& url, int timeout_ms, const Access& access) {
  ORCH_ASSIGN(Page page, http_page(url, timeout_ms, access));
  if (page.status != 200) return no_answer(url, fmt::format("HTTP {}", page.status));
  return std::move(page.body);
}

Result<std::string> grpc_call(const Url& url, const std::string& method, std::string_view message,
                              int timeout_ms, const Access& access) {
  Result<std::string> answer =
      Caller(url, method, access)
          .call(message, monotonic_ns() + timeout_ms * std::int64_t{1'000'000});
  if (answer.ok()) return blacked_out_bytes(access, std::move(*answer));
  return Error{.kind = answer.error().kind, .message = blacked_out(access, answer.error().message)};
}

}  // namespace orch::wire
