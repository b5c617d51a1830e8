#include "execute/guardian.hpp"

#include "execute/guardian_card.hpp"
#include "execute/guardian_channel.hpp"
#include "execute/guardian_charge.hpp"
#include "execute/guardian_message.hpp"
#include "system/kill_point.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <limits>

namespace orch::execute {

namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();
constexpr double k_hello_s = 3600;         // who started it may have been stopped meanwhile
constexpr double k_again_s = 0.2;          // between two tries to end what does not die
constexpr std::size_t k_most_callers = 8;  // that have connected and not said yet what they want

// The guardian is a program of its own: it makes its world itself.
struct RealHost {
  system::RealProcesses processes;
  system::RealFiles files;
  system::RealClock clock;
};

class Guardian {
 public:
  Guardian(RealHost& host, Channel control, const Hello& hello)
      : host_(host),
        control_(std::move(control)),
        name_(hello.name),
        folder_(hello.folder),
        grace_s_(hello.grace_s) {}

  Status open();
  void serve();
  ~Guardian() { remove_card(host_.files, folder_, name_); }

 private:
  void wait();
  void read_signals();
  void hear_control();
  void hear_callers();
  void accept_callers();
  bool answer(Channel& caller, const std::string& line);
  void obey(const Request& request);
  void start(const Start& start);
  void orchestrator_is_gone();
  void keep_time();
  void end_charge();
  void look_after_charge();
  bool is_orphan() const { return !control_; }
  Handle handle() const {
    return {.tree = charge_->tree(), .guardian = name_, .guardian_process = self_};
  }
  void tell(const Reply& reply) {
    if (control_) (void)control_.send(to_line(reply));
  }  // that it is gone is seen when it is read

  RealHost& host_;
  Channel control_;  // closed: the orchestrator is gone
  std::string name_, folder_;
  double grace_s_;
  system::ProcessId self_;
  system::Descriptor listener_, signals_;
  std::deque<Channel> callers_;
  std::unique_ptr<Charge> charge_;
  double grace_over_s_ = k_never;  // then an orphan's charge is asked to end
  double kill_at_s_ = k_never;     // then it is ended
  bool abandoned_ = false;         // the grace period is over
  bool leaving_ = false;           // when idle
};

Status Guardian::open() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, signal);
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
  signals_ = system::Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) return io_error("watch signals as guardian", name_, errno);
  self_ = system::identify(::getpid()).value_or(system::ProcessId{});
  ORCH_ASSIGN(listener_, listen_as(name_));
  return write_card(host_.files, folder_,
                    {.name = name_,
                     .process = self_,
                     .boot_id = system::boot_id(),
                     .version = k_guardian_version});
}

void Guardian::serve() {
  system::kill_point("guardian-listening");
  tell(Welcome{});
  while (charge_ || !leaving_) {
    wait();
    read_signals();
    hear_control();
    accept_callers();
    hear_callers();
    look_after_charge();
    keep_time();
    if (!charge_ && is_orphan()) leaving_ = true;
  }
}

// Until something is to be done.
void Guardian::wait() {
  std::vector<pollfd> waits;
  for (const int descriptor :
       {signals_.get(), host_.processes.descriptor(), listener_.get(), control_.descriptor()})
    waits.push_back({descriptor, POLLIN, 0});
  for (const Channel& caller : callers_) waits.push_back({caller.descriptor(), POLLIN, 0});
  double until_s = std::min(grace_over_s_, kill_at_s_);
  if (charge_ && charge_->log().read_end() >= 0)
    waits.push_back({charge_->log().read_end(), POLLIN, 0});
  if (charge_ && charge_->has_ended()) until_s = std::min(until_s, host_.clock.now_s() + k_again_s);
  const double wait_ms = (until_s - host_.clock.now_s()) * 1000;
  ::poll(waits.data(), waits.size(),
         wait_ms > 3600e3 ? 3600000 : static_cast<int>(std::max(0.0, wait_ms)) + 1);
}

void Guardian::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (leaving_) kill_at_s_ = 0;  // asked twice: at once
    leaving_ = true;
    if (charge_ && kill_at_s_ == k_never) end_charge();
  }
}

void Guardian::hear_control() {
  if (!control_) return;
  const bool open = control_.fill();
  while (const auto line = control_.next_line()) {
    const auto request = parse_request(*line);
    // Nobody would know of what is started for one who is gone.
    if (request && (open || !std::holds_alternative<Start>(*request))) obey(*request);
  }
  if (!open) orchestrator_is_gone();
}

void Guardian::obey(const Request& request) {
  if (const auto* asked = std::get_if<Start>(&request)) start(*asked);
  if (const auto* asked = std::get_if<Signal>(&request); asked && charge_ && !charge_->has_ended())
    charge_->signal(asked->signal);
  if (std::holds_alternative<Quit>(request)) leaving_ = true;
}

void Guardian::start(const Start& start) {
  if (charge_ || leaving_)
    return tell(Refused{{ErrorKind::conflict, fmt::format("guardian {} is not free", name_), {}}});
  auto charge =
      Charge::spawn({host_.processes, host_.files, host_.clock}, start.launch, start.containment);
  if (!charge) return tell(Refused{charge.error()});
  charge_ = std::move(*charge);
  tell(Started{handle()});
  system::kill_point("guardian-spawn-told");
}

void Guardian::orchestrator_is_gone() {
  control_.close();
  if (charge_) grace_over_s_ = host_.clock.now_s() + grace_s_;
}

void Guardian::accept_callers() {
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

void Guardian::hear_callers() {
  std::deque<Channel> silent;
  for (Channel& caller : std::exchange(callers_, {})) {
    const bool open = caller.fill();
    const auto line = caller.next_line();
    if (line ? answer(caller, *line) : open) silent.push_back(std::move(caller));
  }
  callers_ = std::move(silent);
}

// True: CALLER may ask again.
bool Guardian::answer(Channel& caller, const std::string& line) {
  const auto request = parse_request(line);
  const auto* attach = request ? std::get_if<Attach>(&*request) : nullptr;
  if (!attach || attach->version != k_guardian_version) return false;
  hear_control();  // what the one before had to say counts first, its end above all
  if (!charge_ || charge_->launch().token != attach->token) return caller.send(to_line(NotHeld{}));
  if (!is_orphan()) return caller.send(to_line(Busy{}));
  grace_over_s_ = k_never;
  grace_s_ = attach->grace_s;
  control_ = std::move(caller);
  tell(Attached{handle(), charge_->for_s()});
  return false;
}

void Guardian::end_charge() {
  if (!charge_->has_ended()) charge_->signal(SIGTERM);
  kill_at_s_ = host_.clock.now_s() + charge_->launch().stop_s;
}

void Guardian::keep_time() {
  const double now_s = host_.clock.now_s();
  if (now_s >= grace_over_s_) {
    grace_over_s_ = k_never;
    abandoned_ = true;
    system::kill_point("guardian-grace-over");
    if (charge_ && kill_at_s_ == k_never) end_charge();
  }
  if (now_s < kill_at_s_) return;
  if (charge_ && !charge_->has_ended()) charge_->signal(SIGKILL);
  kill_at_s_ = now_s + k_again_s;
}

void Guardian::look_after_charge() {
  const std::vector<system::Exit> exits = host_.processes.wait(0);
  if (!charge_) return;
  charge_->log().drain();
  for (const system::Exit& exit : exits)
    if (charge_->leads(exit)) charge_->leader_ended(exit);
  if (!charge_->has_ended()) return;
  const auto ended = charge_->finish(abandoned_);
  if (!ended) return;
  charge_.reset();
  grace_over_s_ = kill_at_s_ = k_never;
  abandoned_ = false;
  tell(*ended);
  system::kill_point("guardian-end-told");
}

}  // namespace

int serve_as_guardian(int control) {
  system::kill_point("guardian-started");
  RealHost host;
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

}  // namespace orch::execute
