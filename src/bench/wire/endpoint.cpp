#include "bench/wire/endpoint.hpp"

#include "bench/wire/channel.hpp"
#include "core/base/text.hpp"

#include <cstring>

#include <netdb.h>
#include <sys/socket.h>

namespace orch::wire {

namespace {

bool is_plain(char c) { return static_cast<unsigned char>(c) > ' ' && c != 127; }

// TEXT without the user part, which may contain a password.
std::string without_user(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at == std::string_view::npos ? std::string(text) : fmt::format("***{}", text.substr(at));
}

// Shorter tokens protect nothing, and occur in many texts by chance.
constexpr std::size_t k_shortest_secret = 6;
constexpr std::string_view k_blacked = "***";

// TOKEN of "Bearer TOKEN"; the whole value if there is no scheme.
std::string_view secret_of(const Access& access) {
  const std::string_view value = access.authorization;
  return value.substr(value.rfind(' ') + 1);
}

// How many bytes at the end of TEXT are a prefix of SECRET; 0 if too few to reveal anything.
std::size_t cut_off(std::string_view text, std::string_view secret) {
  for (std::size_t size = std::min(text.size(), secret.size() - 1); size >= k_shortest_secret;
       --size)
    if (text.ends_with(secret.substr(0, size))) return size;
  return 0;
}

using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

Stretches find_token(std::string_view text, std::string_view token) {
  Stretches found;
  if (token.size() < k_shortest_secret) return found;
  for (std::size_t at = text.find(token); at != std::string::npos;
       at = text.find(token, at + token.size()))
    found.emplace_back(at, at + token.size());
  if (const std::size_t size = cut_off(text, token); size > 0)
    found.emplace_back(text.size() - size, text.size());
  return found;
}

Stretches find(const Access& access, std::string_view text) {
  return access.secrets ? secret::find_secrets(*access.secrets, text, secret::End::cut)
                        : find_token(text, secret_of(access));
}

}  // namespace

std::string Url::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::string Url::text() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", authority(), target());
}

Result<Url> parse_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("the URL '{}' {}; write http://HOST:PORT or https://HOST:PORT",
                               printable(without_user(text)), why));
  };
  Url url;
  std::string_view rest = text;
  if (!std::ranges::all_of(text, is_plain))
    return wrong("has a space or a control character, which must be written as %XX");
  if (const std::size_t scheme_end = rest.find("://"); scheme_end != std::string_view::npos) {
    const std::string_view scheme = rest.substr(0, scheme_end);
    url.tls = scheme == "https" || scheme == "grpcs";
    if (!url.tls && scheme != "http" && scheme != "grpc")
      return wrong("has a scheme other than http, https, grpc and grpcs");
    if (url.tls) url.port = 443;
    rest.remove_prefix(scheme_end + 3);
  }

  if (rest.find('#') != std::string_view::npos)
    return wrong("has a fragment ('#...'), which no server receives");
  const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  const std::size_t question = std::min(rest.find('?', slash), rest.size());
  url.path = std::string(rest.substr(slash, question - slash));
  url.query = std::string(rest.substr(question));
  std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos)
    return wrong("has a user name, which is not supported: use --token-file");
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return wrong("has a '[' without ']'");
  if (bracket > 0 && bracket + 1 < authority.size() && authority[bracket + 1] != ':')
    return wrong("has text other than a port after ']'");
  const std::size_t colon = authority.find(':', bracket);
  if (colon != std::string_view::npos) {
    const auto port = to_integer(authority.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535)
      return wrong("has no port number between 1 and 65535 after its colon");
    url.port = static_cast<std::uint16_t>(*port);
    authority = authority.substr(0, colon);
  }
  if (bracket > 0) authority = authority.substr(1, bracket - 1);
  if (authority.empty()) return wrong("has no host");
  url.host = std::string(authority);
  return url;
}

std::string path_segment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') out += c;
    else fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

bool same_origin(const Url& a, const Url& b) {
  return a.tls == b.tls && a.port == b.port && lower(a.host) == lower(b.host);
}

Result<std::vector<Endpoint>> addresses_of(const Url& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (code != 0)
    return Error{
        .kind = ErrorKind::not_found,
        .message = fmt::format("cannot find the host '{}': {}", url.host, gai_strerror(code))};
  std::vector<Endpoint> endpoints;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Endpoint endpoint{.name = url.authority(),
                      .family = each->ai_family,
                      .length = each->ai_addrlen,
                      .tls = url.tls,
                      .host = url.host};
    std::memcpy(endpoint.address.data(), each->ai_addr, each->ai_addrlen);
    endpoints.push_back(std::move(endpoint));
  }
  freeaddrinfo(found);
  // A name such as localhost often has an IPv6 address first, while servers bind 127.0.0.1.
  std::stable_partition(endpoints.begin(), endpoints.end(),
                        [](const Endpoint& one) { return one.family == AF_INET; });
  return endpoints;
}

Result<Endpoint> resolve(const Url& url) {
  ORCH_ASSIGN(const std::vector<Endpoint> endpoints, addresses_of(url));
  return endpoints.size() == 1 ? endpoints.front()
                               : first_listening(endpoints, k_other_address_timeout_ms);
}

std::string number_of(const Endpoint& endpoint) {
  char text[NI_MAXHOST];
  const int code = ::getnameinfo(reinterpret_cast<const sockaddr*>(endpoint.address.data()),
                                 endpoint.length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return code == 0 ? text : "";
}

bool is_loopback(const Endpoint& endpoint) {
  if (endpoint.family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, endpoint.address.data(), sizeof address);
    return ntohl(address.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  sockaddr_in6 address{};
  std::memcpy(&address, endpoint.address.data(), sizeof address);
  return endpoint.family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
}

void black_out(const Access& access, std::string& text, std::span<std::size_t> ends) {
  const Stretches found = find(access, text);
  for (auto stretch = found.rbegin(); stretch != found.rend(); ++stretch) {
    const auto [from, to] = *stretch;
    text.replace(from, to - from, k_blacked);
    for (std::size_t& end : ends)
      if (end > from) end = std::max(end, to) - to + from + k_blacked.size();
  }
}

std::string blacked_out(const Access& access, std::string text) {
  black_out(access, text);
  return text;
}

std::string blacked_out_bytes(const Access& access, std::string bytes) {
  for (const auto& [from, to] : find(access, bytes)) bytes.replace(from, to - from, to - from, '*');
  return bytes;
}

}  // namespace orch::wire
