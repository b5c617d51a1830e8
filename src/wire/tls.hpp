// TLS over a socket that is connected already: the caller waits and owns the descriptor. It does
// not know what travels.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "wire/access.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace orch::wire {

// What all connections of one kind share: whom to trust, and what is to be spoken.
class TlsContext {
 public:
  // ALPN: the protocol that the server must agree to ("h2"); "" for any.
  TlsContext(const Access& access, std::string_view alpn);

  // Fails when the certificates to trust cannot be read; nothing can be connected then.
  Status ready() const { return ready_; }

 private:
  friend class TlsSession;

  std::shared_ptr<ssl_ctx_st> context_;
  std::string alpn_;
  Status ready_;
};

class TlsSession {
 public:
  // What one read() brings, at most: an answer without end leaves others their turns.
  static constexpr std::size_t k_read_bytes = 120 * 1024;

  // HOST is whom the certificate must name. FD must outlive the session.
  TlsSession(const TlsContext& context, int fd, const std::string& host);

  enum class Step { done, wants_read, wants_write, failed };
  Step handshake();
  // As recv() and send(): -1 with errno EAGAIN when the socket has to be waited for.
  // A SIZE of k_read_bytes or more leaves nothing in memory that could be read; whatever else there
  // is waits in the socket.
  ssize_t read(char* buffer, std::size_t size);
  ssize_t write(const char* bytes, std::size_t size);
  // The other side has said that nothing more comes, with or after the last bytes: read() says 0
  // now, and epoll may never tell.
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
