// The few socket calls that connecting takes, shared by everything here that opens a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "system/files.hpp"

namespace orch::wire {

struct Endpoint;

// Thousands of connections are opened with a breath in between: a listening socket's queue is
// short, and who finds it full tries again a second later.
class OpeningPace {
 public:
  void one_more();

 private:
  int opened_ = 0;
};

// A non-blocking socket with TCP_NODELAY that connects or has connected (PENDING says which). Not
// open: errno says why.
system::Descriptor start_connect(const Endpoint& endpoint, bool& pending);
// What became of a pending connect: 0 or an errno.
int socket_error(int fd);
// The first of ENDPOINTS, not none, at which somebody listens, or else the first: a server may have
// bound one of a name's addresses alone. Waits for each at most WITHIN_MS.
const Endpoint& first_listening(std::span<const Endpoint> endpoints, int within_ms);
// "cannot connect to HOST:PORT: ...", with what to look at. Its kind is unavailable where the other
// side is to blame, io where this one is.
Error connect_error(const Endpoint& endpoint, int error_number);

// More connections than the soft limit of open files allows: takes what the hard limit gives.
void raise_file_limit(std::size_t needed);

}  // namespace orch::wire
