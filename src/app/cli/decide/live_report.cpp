#include "app/cli/decide/live_report.hpp"

#include "core/base/digest.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "analysis/page/page.hpp"
#include "results/store/store.hpp"
#include "os/system/file_stamp.hpp"
#include "os/system/http/page_server.hpp"

#include <csignal>
#include <unistd.h>

namespace orch::cli {

namespace {

volatile std::sig_atomic_t g_asked_to_end = 0;

void note_end(int) { g_asked_to_end = 1; }

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = note_end;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

using Make = std::function<Result<std::string>(store::Store&)>;

// The page as it was made last. Reading a store takes the CPU that a measurement may need, so it is
// made again only for a browser that asks, after a change, and not more often than each few
// seconds.
class CurrentPage {
 public:
  CurrentPage(std::string folder, const Make& make) : folder_(std::move(folder)), make_(make) {}

  Status renew() {
    const double now = host_.clock.now_s();
    if (!page_.html.empty() && now < made_s_ + k_least_s) return {};
    const std::string seen = stamp();
    if (!page_.html.empty() && seen == stamp_) return {};
    ORCH_ASSIGN(auto store, store::Store::open(host_, folder_, store::Mode::read));
    ORCH_ASSIGN(page_.html, make_(store));
    page_.version = sha256(page_.html).prefix(16);
    page_.policy = page::content_policy(true);
    stamp_ = seen;
    made_s_ = host_.clock.now_s();
    return {};
  }
  const system::PageServer::Page& page() const { return page_; }

 private:
  static constexpr double k_least_s = 5;

  std::string stamp() const {
    std::string out;
    for (const char* name : {"/results.db", "/results.db-wal"})
      if (const auto file = system::FileStamp::of(folder_ + name))
        out += fmt::format("{} {} {} ", file->size, file->mtime_ns, file->inode);
    return out;
  }

  store::Host host_ = real_host();
  std::string folder_;
  const Make& make_;
  system::PageServer::Page page_;
  std::string stamp_;
  double made_s_ = 0;
};

Status serve(const std::string& folder, const Make& make) {
  CurrentPage current(folder, make);
  ORCH_TRY(current.renew());
  ORCH_ASSIGN(std::string token, system::random_token());
  ORCH_ASSIGN(auto server, system::PageServer::listen(std::move(token)));
  end_on_signals();
  static_cast<void>(::nice(10));  // behind the load generator and the servers
  print_out(server.address() + "\n");
  say(stderr, "The address holds a token: whoever has it can read the report. Ctrl-C ends.\n");
  return server.serve(
      [&current] {
        // A store that cannot be read at this moment is read for the next request.
        if (const Status renewed = current.renew(); !renewed)
          say(stderr, "{}\n", renewed.error().text());
        return current.page();
      },
      [] { return g_asked_to_end != 0; });
}

}  // namespace

int serve_live_report(const std::string& folder, const Make& make) {
  const Status served = serve(folder, make);
  if (served) return 0;
  print_errors({served.error()});
  return 2;
}

}  // namespace orch::cli
