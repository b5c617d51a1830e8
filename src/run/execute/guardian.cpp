#include "run/execute/guardian.hpp"

#include "os/system/host_parts.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/launch.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/execute/guardian_message.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <limits>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::execute {

namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();
// How long the first message may take; the orchestrator may be suspended.
constexpr double k_hello_s = 3600;
constexpr double k_again_s = 0.2;          // between two kill attempts
constexpr std::size_t k_most_callers = 8;  // connected, but without a request yet

class Guardian {
 public:
  Guardian(system::RealHost& host, Channel control, const Hello& hello)
      : host_(host), control_(std::move(control)), hello_(hello) {}

  Status open() {
    if (signals_.error() != 0)
      return io_error("watch signals as guardian", hello_.name, signals_.error());
    self_ = system::identify(::getpid()).value_or(system::ProcessId{});
    ORCH_ASSIGN(listener_, listen_as(hello_.name));
    return write_card(host_.files, hello_.folder,
                      {.name = hello_.name,
                       .process = self_,
                       .boot_id = system::boot_id(),
                       .version = k_guardian_version});
  }

  void serve() {
    system::kill_point("guardian-listening");
    reply(Welcome{});
    while (launch_ || !leaving_) {
      wait();
      read_signals();
      read_control();
      accept_callers();
      read_callers();
      update_launch();
      check_deadlines();
      if (!launch_ && is_orphan()) leaving_ = true;
    }
  }

  ~Guardian() { remove_card(host_.files, hello_.folder, hello_.name); }

 private:
  // Waits for the next event or deadline.
  void wait() {
    std::vector<pollfd> waits;
    for (const int descriptor : {signals_.descriptor(), host_.processes.descriptor(),
                                 listener_.get(), control_.descriptor()})
      waits.push_back({descriptor, POLLIN, 0});
    for (const Channel& caller : callers_) waits.push_back({caller.descriptor(), POLLIN, 0});
    double until_s = std::min(grace_over_s_, kill_at_s_);
    if (launch_ && launch_->log().read_end() >= 0)
      waits.push_back({launch_->log().read_end(), POLLIN, 0});
    if (launch_ && launch_->has_exited())
      until_s = std::min(until_s, host_.clock.now_s() + k_again_s);
    const double wait_ms = (until_s - host_.clock.now_s()) * 1000;
    ::poll(waits.data(), waits.size(),
           wait_ms > 3600e3 ? 3600000 : static_cast<int>(std::max(0.0, wait_ms)) + 1);
  }

  void read_signals() {
    for (int left = signals_.take(); left > 0; --left) {
      if (leaving_) kill_at_s_ = 0;  // the second signal: kill immediately
      leaving_ = true;
      if (launch_ && kill_at_s_ == k_never) terminate_launch();
    }
  }

  void read_control() {
    if (!control_) return;
    const bool open = control_.fill();
    while (const auto line = control_.next_line()) {
      const auto request = parse_request(*line);
      // Does not start a launch for an orchestrator that is gone: the launch would not be recorded.
      if (request && (open || !std::holds_alternative<Start>(*request))) handle_request(*request);
    }
    if (!open) lose_orchestrator();
  }

  void read_callers() {
    std::deque<Channel> waiting;
    for (Channel& caller : std::exchange(callers_, {})) {
      const bool open = caller.fill();
      const auto line = caller.next_line();
      if (line ? answer(caller, *line) : open) waiting.push_back(std::move(caller));
    }
    callers_ = std::move(waiting);
  }

  void accept_callers() {
    while (true) {
      system::Descriptor socket(
          ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return;
      Channel caller(std::move(socket));
      if (caller.peer().uid != ::geteuid()) continue;
      if (callers_.size() == k_most_callers) callers_.pop_front();
      callers_.push_back(std::move(caller));
    }
  }

  // Returns whether the connection stays open for another request.
  bool answer(Channel& caller, const std::string& line) {
    const auto request = parse_request(line);
    const auto* attach = request ? std::get_if<Attach>(&*request) : nullptr;
    if (!attach || attach->version != k_guardian_version) return false;
    read_control();  // the previous orchestrator's messages and its end are handled first
    if (!launch_ || launch_->launch().token != attach->token)
      return caller.send(to_line(NotHeld{}));
    if (!is_orphan()) return caller.send(to_line(Busy{}));
    grace_over_s_ = k_never;
    hello_.grace_s = attach->grace_s;
    control_ = std::move(caller);
    launch_->diagnostics().log(system::LogLevel::info, "another orchestrator has taken over");
    reply(Attached{handle(), launch_->running_s()});
    return false;
  }

  void handle_request(const Request& request) {
    if (const auto* asked = std::get_if<Start>(&request)) start(*asked);
    if (const auto* asked = std::get_if<Signal>(&request);
        asked && launch_ && !launch_->has_exited())
      launch_->signal(asked->signal);
    if (std::holds_alternative<Quit>(request)) leaving_ = true;
  }

  void start(const Start& start) {
    if (launch_ || leaving_)
      return reply(
          Refused{{ErrorKind::conflict, fmt::format("guardian {} is not free", hello_.name), {}}});
    auto started =
        GuardianLaunch::spawn(host_.host(), start.launch, start.containment, start.log_level);
    if (!started) return reply(Refused{started.error()});
    launch_ = std::move(*started);
    reply(Started{handle()});
    system::kill_point("guardian-spawn-told");
  }

  void lose_orchestrator() {
    control_.close();
    if (!launch_) return;
    grace_over_s_ = host_.clock.now_s() + hello_.grace_s;
    launch_->diagnostics().log(system::LogLevel::warning,
                               "the orchestrator is gone; the grace period of {:g} s begins",
                               hello_.grace_s);
  }

  void check_deadlines() {
    const double now_s = host_.clock.now_s();
    if (now_s >= grace_over_s_) {
      grace_over_s_ = k_never;
      abandoned_ = true;
      system::kill_point("guardian-grace-over");
      if (launch_ && kill_at_s_ == k_never) terminate_launch();
    }
    if (now_s < kill_at_s_) return;
    if (launch_ && !launch_->has_exited()) launch_->signal(SIGKILL);
    kill_at_s_ = now_s + k_again_s;
  }

  void terminate_launch() {
    if (!launch_->has_exited()) launch_->signal(SIGTERM);
    kill_at_s_ = host_.clock.now_s() + launch_->launch().stop_s;
  }

  void update_launch() {
    const std::vector<system::Exit> exits = host_.processes.wait(0);
    if (!launch_) return;
    launch_->log().drain();
    for (const system::Exit& exit : exits)
      if (launch_->is_leader(exit)) launch_->record_exit(exit);
    if (!launch_->has_exited()) return;
    const auto ended = launch_->finish(abandoned_);
    if (!ended) return;
    launch_.reset();
    grace_over_s_ = kill_at_s_ = k_never;
    abandoned_ = false;
    reply(Over{{.ended = *ended}});
    system::kill_point("guardian-end-told");
  }

  bool is_orphan() const { return !control_; }
  Handle handle() const {
    return {.tree = launch_->tree(), .guardian = hello_.name, .guardian_process = self_};
  }
  void reply(const Reply& message) {
    if (control_) (void)control_.send(to_line(message));
  }  // read_control() notices when the orchestrator is gone

  system::RealHost& host_;
  Channel control_;  // closed: the orchestrator is gone
  Hello hello_;      // its grace_s is that of the newest orchestrator
  system::ProcessId self_;
  EndSignals signals_;
  system::Descriptor listener_;
  std::deque<Channel> callers_;
  std::unique_ptr<GuardianLaunch> launch_;
  double grace_over_s_ = k_never;  // when the grace period ends: TERM for the launch
  double kill_at_s_ = k_never;     // when the launch is killed
  bool abandoned_ = false;         // the grace period is over
  bool leaving_ = false;           // the guardian quits once it is idle
};

constexpr int k_pipe_bytes = 256 << 10;
constexpr int k_reader_ms = 1000;  // how long the reader of standard output may take to make room

}  // namespace

int serve_as_guardian(int control) {
  system::close_from(control + 1, false);  // an inherited lock would outlive the orchestrator
  system::kill_point("guardian-started");
  system::RealHost host;  // created here because this is the main function of a separate process
  Channel channel{system::Descriptor(control)};
  const auto line = channel.wait_line(host.clock, k_hello_s);
  const auto request = line ? parse_request(*line) : std::nullopt;
  const auto* hello = request ? std::get_if<Hello>(&*request) : nullptr;
  if (!hello || hello->version != k_guardian_version || channel.peer().uid != ::geteuid()) return 2;
  Guardian guardian(host, std::move(channel), *hello);
  if (const Status status = guardian.open(); !status) {
    fmt::print(stderr, "guardian {}: {}\n", hello->name, status.error().text());
    return 1;
  }
  guardian.serve();
  return 0;
}

EndSignals::EndSignals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, signal);
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
  signals_ = system::Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) error_ = errno;
}

int EndSignals::take(double wait_s) {
  pollfd one{signals_.get(), POLLIN, 0};
  if (wait_s > 0) ::poll(&one, 1, static_cast<int>(wait_s * 1000));
  signalfd_siginfo info{};
  int count = 0;
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) ++count;
  return count;
}

Result<std::unique_ptr<LogPipe>> LogPipe::open(const std::string& path,
                                               std::vector<std::string> secrets) {
  system::Descriptor file(path.empty() ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1);
  if (!path.empty()) {
    ORCH_ASSIGN(file, system::open_for_appending(path));
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("make a pipe for the log", path, errno);
  std::unique_ptr<LogPipe> log(new LogPipe(std::move(file), std::move(secrets)));
  log->may_block_ = path.empty();
  log->read_end_ = system::Descriptor(ends[0]);
  log->write_end_ = system::Descriptor(ends[1]);
  ::fcntl(ends[0], F_SETPIPE_SZ,
          k_pipe_bytes);  // fails beyond the user's limit; then the pipe keeps its size
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return log;
}

void LogPipe::drain() {
  char buffer[64 << 10];
  for (int taken = 0; read_end_ && taken < k_pipe_bytes;) {
    const ssize_t count = ::read(read_end_.get(), buffer, sizeof buffer);
    if (count > 0) {
      taken += static_cast<int>(count);
      write(redactor_.feed({buffer, static_cast<std::size_t>(count)}));
    } else if (count == 0) {
      read_end_ = {};
    } else if (errno != EINTR) {
      return;
    }
  }
}

void LogPipe::finish() {
  drain();
  read_end_ = {};
  write(redactor_.finish(secret::End::cut));
  if (lost_bytes_ > 0)
    write(fmt::format("\n[orchestrate: {} bytes of this log were lost: {}]\n", lost_bytes_,
                      std::strerror(lost_errno_)));
  file_ = {};
}

void LogPipe::write(std::string_view text) {
  while (!text.empty()) {
    std::string_view part = text;
    if (may_block_) {
      // A writable pipe has room for PIPE_BUF bytes.
      part = text.substr(0, PIPE_BUF);
      pollfd room{file_.get(), POLLOUT, 0};
      if (::poll(&room, 1, k_reader_ms) <= 0) return lose(text.size(), EAGAIN);
    }
    const ssize_t count = ::write(file_.get(), part.data(), part.size());
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return lose(text.size(), count == 0 ? ENOSPC : errno);
    }
  }
}

void LogPipe::lose(std::size_t bytes, int why) {
  lost_errno_ = why;
  lost_bytes_ += bytes;
}

}  // namespace orch::execute
