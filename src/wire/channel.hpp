// One connection as a stream of bytes: a socket, with TLS on it where its endpoint asks for that.
// It waits for nothing by itself; whoever holds it has an epoll or polls. A plain socket costs what
// its system calls cost.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <span>

#include "base/result.hpp"
#include "system/files.hpp"
#include "wire/endpoint.hpp"
#include "wire/tls.hpp"

namespace orch::wire {

class Channel {
 public:
  // Begins to connect to ENDPOINT. TLS: borrowed, needed where the endpoint asks for it. False:
  // failed at once.
  bool connect(const Endpoint& endpoint, const TlsContext* tls);
  void close();

  // What it takes until bytes can travel: the socket connects, TLS shakes hands.
  enum class Step { done, wants_read, wants_write, failed };
  // Goes on with that, to be called when the descriptor is ready for what the last step wanted.
  Step advance();
  // The same, waiting; a signal ends it as interrupted.
  Status wait_open(std::int64_t deadline_ns);
  // Both, to the first of ENDPOINTS, borrowed, that takes a connection; the error is the first
  // one's.
  Status open(std::span<const Endpoint> endpoints, const TlsContext* tls, std::int64_t deadline_ns);
  // Waits for EVENTS of poll() on the socket; to be called after read() or write() said EAGAIN.
  Status wait(short events, std::int64_t deadline_ns) const;

  int fd() const { return fd_.get(); }
  const Endpoint& endpoint() const { return *endpoint_; }
  // As recv() and send().
  ssize_t read(char* buffer, std::size_t size) {
    return tls_ ? tls_->read(buffer, size) : ::recv(fd_.get(), buffer, size, 0);
  }
  ssize_t write(std::string_view bytes) {
    return tls_ ? tls_->write(bytes.data(), bytes.size())
                : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // The end came with or after the last bytes, and epoll may never tell: read() again.
  bool at_end() const { return tls_ && tls_->at_end(); }

  // Why connecting failed.
  const Error& error() const { return error_; }
  // Why the last read or write failed, from errno.
  std::string trouble() const;

 private:
  Step fail(Error error);
  Status settle();  // what became of connecting
  Status wait_connected(std::int64_t deadline_ns);

  const Endpoint* endpoint_ = nullptr;
  const TlsContext* context_ = nullptr;
  system::Descriptor fd_;
  std::optional<TlsSession> tls_;
  bool pending_ = false;  // the socket connects
  Error error_;
};

}  // namespace orch::wire
