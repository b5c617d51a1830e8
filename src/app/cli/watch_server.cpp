// `orchestrate watch-server`: the process in place of a server that runs already. It sends nothing:
// it opens a connection now and then, and ends when none is accepted any more.
#include "app/cli/commands.hpp"
#include "app/cli/say.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/socket.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

namespace orch::cli {

namespace {

constexpr int k_within_ms = 2000;
constexpr auto k_period = std::chrono::milliseconds(250);
constexpr int k_most_silences = 3;  // in a row; a refusal is final at once

// Returns when no address of URL accepts a connection.
Error watch(const wire::Url& url) {
  int silences = 0;
  while (true) {
    const auto endpoints = wire::addresses_of(url);
    Error lost;
    bool refused = false, reached = false;
    if (endpoints) {
      for (const wire::Endpoint& endpoint : *endpoints) {
        const int error = wire::try_connect(endpoint, k_within_ms);
        if ((reached = error == 0)) break;
        refused = error == ECONNREFUSED;
        lost = wire::connect_error(endpoint, error);
      }
    } else {
      lost = endpoints.error();
    }
    silences = reached ? 0 : silences + 1;
    if ((refused && !reached) || silences >= k_most_silences) return lost;
    std::this_thread::sleep_for(k_period);
  }
}

}  // namespace

std::optional<int> watch_server_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "watch-server") return std::nullopt;
  const auto url = argc == 3 ? wire::parse_url(argv[2])
                             : Result<wire::Url>(invalid(
                                   "'orchestrate watch-server' takes the URL of a server that runs "
                                   "already; 'orchestrate run' starts it"));
  if (!url) {
    say(stderr, "{}\n", url.error().text());
    return 2;
  }
  say(stderr, "watching {}, which runs already; nothing is started\n", url->text());
  say(stderr, "{}\n", watch(*url).text());
  return 1;
}

}  // namespace orch::cli
