#include "bench/wire/grpc_call.hpp"

#include <poll.h>

#include <cerrno>

#include "os/system/http/http.hpp"
#include "bench/wire/channel.hpp"
#include "bench/wire/clock.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/grpc_messages.hpp"
#include "bench/wire/grpc_session.hpp"

namespace orch::wire {
namespace {

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
            .message = fmt::format("{} did not answer {}: {}", authority_, method_, why),
            .where = {}};
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
                           ? "it closed the connection; is this the port of gRPC?"
                           : "it closed the connection; is this the port of gRPC, is it https?");
    if (errno == EAGAIN) return channel.wait(POLLIN, deadline_ns);
    if (errno != EINTR) return no_answer(channel.trouble());
    return {};
  }

  // receive() never waits for a server that sends without end: the limits are checked here.
  Status check_limits(const Channel& channel, std::int64_t deadline_ns) const {
    if (ended_) return {};
    if (received_bytes_ > system::k_most_answer_bytes)
      return Error{.kind = ErrorKind::unavailable,
                   .message = fmt::format("{} answered {} with more than {} MiB", authority_,
                                          method_, system::k_most_answer_bytes >> 20),
                   .where = {}};
    if (monotonic_ns() <= deadline_ns) return {};
    return Error{.kind = ErrorKind::timeout,
                 .message = fmt::format("{} did not answer in time", channel.endpoint().name),
                 .where = {}};
  }

  Result<std::string> answer() {
    if (exchange_.broken) return no_answer(exchange_.error);
    if (exchange_.status != 200) return no_answer(exchange_.error, kind_of(exchange_.status));
    std::vector<std::string> messages;
    exchange_.take_events(
        [&](std::string_view message, const Exchange::Event&) { messages.emplace_back(message); });
    if (messages.size() != 1)
      return no_answer(fmt::format("it sent {} messages where one is due", messages.size()));
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

Result<std::string> grpc_call(const Url& url, const std::string& method, std::string_view message,
                              int timeout_ms, const Access& access) {
  Result<std::string> answer =
      Caller(url, method, access)
          .call(message, monotonic_ns() + timeout_ms * std::int64_t{1'000'000});
  if (answer.ok()) return blacked_out_bytes(access, std::move(*answer));
  return Error{.kind = answer.error().kind,
               .message = blacked_out(access, answer.error().message),
               .where = {}};
}

}  // namespace orch::wire
