// http://HOST:PORT as text and as an address to connect to. Which protocol is spoken there is not
// its business.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace orch::wire {

// The longest that is waited for a connection, or for a first word, unless less is asked for.
inline constexpr int k_connect_timeout_ms = 10'000;

struct Url {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string path = {};  // "" or "/..."
  bool tls = false;

  std::string authority() const;  // HOST:PORT as a Host header writes it
  std::string text() const;       // as http:// or https://
};

// http:// and grpc:// (or no scheme) are plain, https:// and grpcs:// ask for TLS; anything else is
// an error in words, which repeat no password.
Result<Url> parse_url(std::string_view text);

// TEXT as one segment of a path, whatever stands in it.
std::string path_segment(std::string_view text);

// Scheme, host and port are the same: what one may know the other may.
bool same_origin(const Url& a, const Url& b);

// An address of a listening server, resolved once so that no name is looked up while a clock runs.
struct Endpoint {
  std::string name;  // HOST:PORT, for errors
  int family = 0;
  std::array<unsigned char, 128> address{};  // a sockaddr
  unsigned length = 0;
  bool tls = false;
  std::string host = {};  // whom a certificate must name
};

// A name's next address is tried where this one has not answered by then.
inline constexpr int k_other_address_timeout_ms = 1'000;

// All addresses of URL's host, at least one; IPv4 first.
Result<std::vector<Endpoint>> addresses_of(const Url& url);
// The first of them at which somebody listens, which costs a connection where there are several.
Result<Endpoint> resolve(const Url& url);

// Whether only this host can be there.
bool is_loopback(const Endpoint& endpoint);

}  // namespace orch::wire
