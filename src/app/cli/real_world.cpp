#include "app/cli/real_world.hpp"

#include "app/cli/say.hpp"

#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>

#include <unistd.h>

extern char** environ;

namespace orch::cli {

namespace {

std::atomic<int> g_signals = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void count_one(int) { g_signals.fetch_add(1, std::memory_order_relaxed); }

constexpr int k_ending[] = {SIGINT, SIGTERM, SIGHUP};

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: the scheduler's wait ends immediately
  for (const int signal : k_ending) ::sigaction(signal, &action, nullptr);
}

}  // namespace

std::map<std::string, std::string> real_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

store::Host real_host() {
  static system::RealFiles files;
  static system::RealClock clock;
  return {.files = files, .clock = clock, .says = [](const std::string& sentence) {
            say(stderr, "{}\n", sentence);
          }};
}

observe::GpuSources real_gpu_sources() {
  return {.open_memory = [] { return std::make_unique<system::RealGpuMemory>(); },
          .open_probe = [] { return std::make_unique<system::RealGpuProbe>(); }};
}

RealWorld::RealWorld()
    : world_{
          .files = host_.files,
          .clock = host_.clock,
          .processes = host_.processes,
          .http = http_,
          .workers = workers_,
          .environment = real_environment(),
          .detect_machine = [] { return system::detect_machine(); },
          .open_gpu_memory = real_gpu_sources().open_memory,
          .open_ports =
              [](system::PortRange range) { return std::make_unique<system::RealPorts>(range); },
          .make_executor =
              [this](const execute::GuardedOptions& options) {
                return execute::make_guarded_executor(host_.host(), options);
              },
          .open_processes = [] { return std::make_unique<system::RealProcesses>(); },
      } {}

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string own_folder() {
  std::error_code code;
  return std::filesystem::current_path(code).string();
}

SignalInterrupts::SignalInterrupts() { set_handler(&count_one); }
SignalInterrupts::~SignalInterrupts() { set_handler(SIG_DFL); }

int SignalInterrupts::count() {
  const int signals = g_signals.load(std::memory_order_relaxed);
  if (std::exchange(reported_, signals) == signals) return signals;
  say(stderr, "\n{}\n",
      signals == 1   ? "interrupted: running stages may finish; interrupt again to end them"
      : signals == 2 ? "interrupted: ending the running stages; interrupt again to kill them"
                     : "interrupted: killing the running stages");
  return signals;
}

bool wait_for_signal(double s) {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (const int signal : k_ending) sigaddset(&ending, signal);
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  const double whole = std::floor(s);
  const timespec time{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>((s - whole) * 1e9)};
  const bool came = ::sigtimedwait(&ending, nullptr, &time) > 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return came;
}

}  // namespace orch::cli
