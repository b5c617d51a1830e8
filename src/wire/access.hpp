// What a server asks of those who talk to it. It holds what the user gave and opens nothing.
#pragma once

#include <string>

namespace orch::wire {

struct Access {
  std::string authorization = {};  // value of that header; "" for none. A secret: never in errors or records
  std::string ca_file = {};        // certificates to trust in place of the system's; "" for the system's
  bool verify = true;              // over TLS: the certificate must be trusted, in date and the host's own
};

}  // namespace orch::wire
