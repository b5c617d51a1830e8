// An entry of `service:` in a matrix: a server that runs already, in place of the one that a runner
// would start. Opens no connection.
#pragma once

#include "core/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// http://HOST:PORT/PREFIX, in its parts.
struct ServerUrl {
  std::string scheme;  // http, https, grpc or grpcs
  std::string host;    // as written: an IPv6 address with its brackets
  int port = 0;
  std::string path = {};  // "" or "/...", without a '/' or "/v1" at its end

  bool tls() const { return scheme == "https" || scheme == "grpcs"; }
  std::string authority() const;  // HOST:PORT
  std::string text() const;
};

// The error says what is wrong with TEXT and never repeats a password.
Result<ServerUrl> parse_server_url(std::string_view text);

struct RunningServer {
  ServerUrl url;                                             // of the port that readiness asks
  std::map<std::string, ServerUrl, std::less<>> ports = {};  // of further ports, by name
  std::string machine = {};    // that it runs on, in words; "": not stated
  std::string token_env = {};  // the variable that holds its bearer token; "": none
  // Sent with every request; a value may name variables, "$NAME", which hold its secrets.
  std::map<std::string, std::string> headers = {};
  bool reuse = false;          // earlier measurements of it count
  Location where = {};         // of the URL
  Location runner_where = {};  // of the runner's name, or of the section
};

// The environment variables that hold the secrets of SERVER: its token, and those of its headers.
std::vector<std::string> secret_variables(const RunningServer& server);

}  // namespace orch::matrix
