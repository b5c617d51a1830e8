// One connection as a stream of bytes: a socket, with TLS if its endpoint requires it. Does not
// interpret the bytes. Non-blocking unless a function is documented to wait; the owner runs the
// event loop. A plain socket costs no more than its system calls.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "bench/wire/tls.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/socket.h>

namespace orch::wire {

// The socket calls that open a connection.

struct Endpoint;

// Paces the opening of thousands of connections: the backlog of a listening socket is short, and if
// it is full the kernel retries only after a second.
class OpeningPace {
 public:
  void one_more();

 private:
  int opened_ = 0;
};

// A non-blocking socket with TCP_NODELAY that is connecting (PENDING) or connected. On failure it
// is not open and errno is set.
system::Descriptor start_connect(const Endpoint& endpoint, bool& pending);
// The result of a pending connect: 0 or an errno.
int socket_error(int fd);
// Opens a connection to ENDPOINT and closes it: 0 if it was accepted within WITHIN_MS, otherwise an
// errno, ETIMEDOUT if time ran out.
int try_connect(const Endpoint& endpoint, int within_ms);
// The first of ENDPOINTS that accepts a connection; if none does, the first of all. A server may
// have bound only one address of a name. Waits at most WITHIN_MS for each. ENDPOINTS must not be
// empty.
const Endpoint& first_listening(std::span<const Endpoint> endpoints, int within_ms);
// "cannot connect to HOST:PORT: ...", with a hint. Its kind is unavailable if the server is the
// cause, io if this machine is.
Error connect_error(const Endpoint& endpoint, int error_number);

// Raises the soft limit on open files to NEEDED, as far as the hard limit allows.
void raise_file_limit(std::size_t needed);

class Channel {
 public:
  // Begins connecting to ENDPOINT. TLS is borrowed, and required if the endpoint uses it. False: it
  // failed immediately.
  bool connect(const Endpoint& endpoint, const TlsContext* tls);
  void close();

  // Progress of connecting: first the socket, then the TLS handshake.
  enum class Step { done, wants_read, wants_write, failed };
  // Continues connecting. Call it when the descriptor is ready for what the last step wants.
  Step advance();
  // Waits until the connection is open; a signal gives the error `interrupted`.
  Status wait_open(std::int64_t deadline_ns);
  // connect() and wait_open() with the first of ENDPOINTS (borrowed) that accepts. If none does,
  // the error is that of the first one.
  Status open(std::span<const Endpoint> endpoints, const TlsContext* tls, std::int64_t deadline_ns);
  // Waits for EVENTS of poll() on the socket. Call it after read() or write() failed with EAGAIN.
  Status wait(short events, std::int64_t deadline_ns) const;

  int fd() const { return fd_.get(); }
  const Endpoint& endpoint() const { return *endpoint_; }
  // Like recv() and send().
  ssize_t read(char* buffer, std::size_t size) {
    return tls_ ? tls_->read(buffer, size) : ::recv(fd_.get(), buffer, size, 0);
  }
  ssize_t write(std::string_view bytes) {
    return tls_ ? tls_->write(bytes.data(), bytes.size())
                : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Whether the peer announced its end over TLS; epoll may no longer report it: call read() again.
  bool at_end() const { return tls_ && tls_->at_end(); }

  // Why connecting failed.
  const Error& error() const { return error_; }
  // Why the last read or write failed, based on errno.
  std::string trouble() const;

 private:
  Step fail(Error error);
  Status settle();  // the result of connecting
  Status wait_connected(std::int64_t deadline_ns);

  const Endpoint* endpoint_ = nullptr;
  const TlsContext* context_ = nullptr;
  system::Descriptor fd_;
  std::optional<TlsSession> tls_;
  bool pending_ = false;  // the socket is connecting
  Error error_;
};

// A channel in an epoll set. epoll always reports when it can be read, and on demand when it can be
// written.
class EpollChannel : private Channel {
 public:
  // EPOLL is borrowed; events carry TAG.
  EpollChannel(int epoll, std::uint32_t tag) : epoll_(epoll), tag_(tag) {}

  // Like those of Channel. While it connects, epoll reports what the next step wants.
  bool connect(const Endpoint& endpoint, const TlsContext* tls);
  Step advance();
  void close();

  // From now on, epoll reports when it can be written (WANTED), or no longer does.
  void watch_for_writing(bool wanted);

  using Channel::at_end;
  using Channel::error;
  using Channel::read;
  using Channel::Step;
  using Channel::trouble;
  using Channel::wait;
  using Channel::wait_open;
  using Channel::write;

 private:
  void watch(int operation);

  int epoll_;
  std::uint32_t tag_;
  bool for_writing_ = false;
};

}  // namespace orch::wire
