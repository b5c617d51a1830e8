// The socket calls that open a connection. Knows neither TLS nor a protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/result.hpp"
#include "os/system/files.hpp"

namespace orch::wire {

struct Endpoint;

// Paces the opening of thousands of connections: the backlog of a listening socket is short, and
// where it is full the kernel retries only after a second.
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
// Opens a connection to ENDPOINT and closes it: 0 if it was accepted within WITHIN_MS, else an
// errno, which is ETIMEDOUT after that time.
int try_connect(const Endpoint& endpoint, int within_ms);
// The first of ENDPOINTS that accepts a connection, else the first: a server may have bound only
// one address of a name. Waits at most WITHIN_MS for each. ENDPOINTS must not be empty.
const Endpoint& first_listening(std::span<const Endpoint> endpoints, int within_ms);
// "cannot connect to HOST:PORT: ...", with a hint. Its kind is unavailable when the server is the
// cause, io when this machine is.
Error connect_error(const Endpoint& endpoint, int error_number);

// Raises the soft limit of open files to NEEDED, as far as the hard limit allows.
void raise_file_limit(std::size_t needed);

}  // namespace orch::wire
