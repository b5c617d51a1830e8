// What a server asks of those who talk to it, and how a secret is kept out of what is written down.
// It holds what the user gave and opens nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace orch::wire {

struct Access {
  std::string authorization =
      {};  // value of that header; "" for none. A secret: never in errors or records
  std::string ca_file = {};  // certificates to trust in place of the system's; "" for the system's
  bool verify = true;  // over TLS: the certificate must be trusted, in date and the host's own
};

// Puts *** in place of the token of ACCESS wherever TEXT, which a server had a hand in, repeats it,
// also where its end was cut off with the text's. ENDS, offsets into TEXT, move along.
void black_out(const Access& access, std::string& text, std::span<std::size_t> ends = {});
std::string blacked_out(const Access& access, std::string text);
// The same of a message that counts its bytes: it stays as long.
std::string blacked_out_bytes(const Access& access, std::string bytes);

}  // namespace orch::wire
