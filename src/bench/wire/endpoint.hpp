// URLs such as http://HOST:PORT, and the addresses they resolve to. Does not depend on the protocol
// above TCP and TLS.
#pragma once

#include "core/base/result.hpp"
#include "core/secret/redact.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::wire {

// Default and upper limit for waiting for a connection and for a server's first bytes.
inline constexpr int k_connect_timeout_ms = 10'000;

struct Url {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string path = {};   // "" or "/..."
  std::string query = {};  // "" or "?...", appended to the path of every page
  bool tls = false;

  std::string authority() const;  // HOST:PORT as in a Host header
  std::string target() const { return path + query; }
  std::string text() const;  // as http:// or https://
};

// http:// and grpc:// (or no scheme) are plain, https:// and grpcs:// use TLS; other schemes are an
// error. Messages never repeat a password.
Result<Url> parse_url(std::string_view text);

// TEXT percent-encoded as one path segment.
std::string path_segment(std::string_view text);

// Whether scheme, host and port are the same: a secret for one may be sent to the other.
bool same_origin(const Url& a, const Url& b);

// The address of a server, resolved before measuring, so that no name is looked up in a timed
// window.
struct Endpoint {
  std::string name;  // HOST:PORT, for errors
  int family = 0;
  std::array<unsigned char, 128> address{};  // a sockaddr
  unsigned length = 0;
  bool tls = false;
  std::string host = {};  // the name that the certificate must have
};

// How long one of a name's several addresses may take before the next is tried.
inline constexpr int k_other_address_timeout_ms = 1'000;

// All addresses of URL's host, at least one; IPv4 first.
Result<std::vector<Endpoint>> addresses_of(const Url& url);
// The first address of URL's host that accepts a connection. Connects only if there are several.
Result<Endpoint> resolve(const Url& url);

// The numeric address without its port: "127.0.0.1", "::1"; "" if it cannot be formatted.
std::string number_of(const Endpoint& endpoint);

// Whether the address can only be that of this host.
bool is_loopback(const Endpoint& endpoint);

// Credentials for a server, and redaction of its secrets in texts. Opens no file and no connection.

struct Access {
  // Value of the Authorization header; "" for none. A secret: never in errors or records.
  std::string authorization = {};
  // Additional headers of each request, "NAME: VALUE". Values may be secrets.
  std::vector<std::string> headers = {};
  std::string ca_file = {};  // trusted certificates; "": the system's
  bool verify = true;        // TLS: check the certificate's issuer, dates and host
  // Control requests are abandoned within a second once it is true. Borrowed; may be null.
  const std::atomic<bool>* stop = nullptr;
  // The token in every form, and other values that no text may repeat; null: only the token itself.
  std::shared_ptr<const secret::Secrets> secrets = nullptr;
};

// Replaces the secrets of ACCESS by *** in TEXT, including one truncated by the end of TEXT. For
// texts that a server influences. ENDS, offsets into TEXT, are adjusted.
void black_out(const Access& access, std::string& text, std::span<std::size_t> ends = {});
std::string blacked_out(const Access& access, std::string text);
// The same for a binary message, whose length does not change.
std::string blacked_out_bytes(const Access& access, std::string bytes);

}  // namespace orch::wire
