// TLS over a connected socket. The caller owns the descriptor and does all waiting. Does not
// interpret the bytes.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

struct ssl_ctx_st;
struct ssl_st;

namespace orch::wire {

// Settings that connections share: trusted certificates and the application protocol.
class TlsContext {
 public:
  // ALPN: the protocol that the server must agree to ("h2"); "" for any.
  TlsContext(const Access& access, std::string_view alpn);

  // Null if none of ENDPOINTS requires TLS.
  static std::unique_ptr<TlsContext> for_endpoints(std::span<const Endpoint> endpoints,
                                                   const Access& access, std::string_view alpn);

  // An error if the trusted certificates cannot be read; then no session can be opened.
  Status ready() const { return ready_; }

 private:
  friend class TlsSession;

  std::shared_ptr<ssl_ctx_st> context_;
  std::string alpn_;
  Status ready_;
};

class TlsSession {
 public:
  // The most that one read() returns, so that an endless answer does not starve other connections.
  static constexpr std::size_t k_read_bytes = 120 * 1024;

  // HOST is the name that the certificate must have. FD must outlive the session.
  TlsSession(const TlsContext& context, int fd, const std::string& host);

  enum class Step { done, wants_read, wants_write, failed };
  Step handshake();
  // Like recv() and send(): -1 with errno EAGAIN if the caller has to wait for the socket. If SIZE
  // is at least k_read_bytes, no readable bytes stay in memory: the rest is in the socket.
  ssize_t read(char* buffer, std::size_t size);
  ssize_t write(const char* bytes, std::size_t size);
  // Whether the peer announced the end, with or after the last bytes: read() now returns 0, and
  // epoll may not report it.
  bool at_end() const;
  // Why the last call failed.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Socket;

  void begin_call();
  ssize_t explain(int result);
  std::string words(int code) const;

  std::shared_ptr<Socket> socket_;
  std::shared_ptr<ssl_st> tls_;
  std::string host_;
  std::string alpn_;
  std::string trouble_;
};

}  // namespace orch::wire
