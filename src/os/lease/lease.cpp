#include "os/lease/lease.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/process.hpp"

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>

#include <fmt/chrono.h>
#include <unistd.h>

namespace orch::lease {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::string pid_namespace() {
  std::array<char, 64> name{};
  const ssize_t size = readlink("/proc/self/ns/pid", name.data(), name.size());
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : "";
}

constexpr std::uint64_t k_note_bytes = 4096;
constexpr double k_beats = 10;        // renewals within the silence that counts as death
constexpr double k_reader_beats = 3;  // renewals for which a reader waits
constexpr int k_tries = 100;

// The lease with the highest number.
struct Newest {
  std::uint64_t number = 0;  // 0: there is none
  std::string text;
  std::optional<LeaseNote> note;

  bool is_held() const { return number > 0 && !(note && note->is_released); }
  double silent_s() const { return note ? note->silent_s : k_silent_s; }
  std::string owner() const { return note ? note->owner.text() : Owner().text(); }
};

std::string protected_by(const std::string& folder) {
  return std::filesystem::path(folder).parent_path().string();
}

std::string file_of(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{}", folder, number);
}

std::vector<std::uint64_t> numbers_in(system::Files& files, const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  if (const auto names = files.names(folder))
    for (const std::string& name : *names)
      if (const auto number = to_integer(name); number && *number > 0)
        numbers.push_back(static_cast<std::uint64_t>(*number));
  return numbers;
}

Newest newest_in(system::Files& files, const std::string& folder) {
  Newest newest;
  for (const std::uint64_t number : numbers_in(files, folder))
    newest.number = std::max(newest.number, number);
  if (newest.number == 0) return newest;
  if (auto text = files.read_own(file_of(folder, newest.number), k_note_bytes)) {
    newest.note = from_json_text<LeaseNote>(*text).to_optional();
    newest.text = std::move(*text);
  }
  return newest;
}

// Whether a lease's owner is alive; nullopt if only its renewals can show that.
std::optional<bool> lives(const Newest& newest, const Owner& self) {
  if (!newest.note || !is_near(newest.note->owner, self)) return std::nullopt;
  const auto process = system::identify(newest.note->owner.pid);
  return process && process->start_ticks == newest.note->owner.start_ticks;
}

// Whether SEEN changes within FOR_S. Time during which this process was suspended does not count.
bool changes(const LeaseTools& tools, const std::string& folder, const Newest& seen, double for_s) {
  const double step_s = seen.silent_s() / k_beats / 2;
  double watched_s = 0;
  for (double last_s = tools.clock.now_s(); watched_s < for_s;) {
    tools.clock.sleep_s(step_s);
    const double now_s = tools.clock.now_s();
    watched_s += std::min(now_s - last_s, 2 * step_s);
    last_s = now_s;
    const Newest now = newest_in(tools.files, folder);
    if (now.number != seen.number || now.text != seen.text) return true;
  }
  return false;
}

Error in_use(const Newest& newest, const std::string& folder) {
  const std::string job = newest.note ? newest.note->owner.job : "";
  return {.kind = ErrorKind::conflict,
          .message = fmt::format(
              "the store {} is in use by {}; wait for it, end it there{}, or name another store "
              "with --store",
              protected_by(folder), newest.owner(),
              job.empty() ? "" : fmt::format(" (`scancel {}`)", job))};
}

}  // namespace

std::string Owner::text() const {
  if (pid == 0) return "a process that has just started";
  return fmt::format("pid {} on {}{} since {}", pid, host,
                     job.empty() ? "" : fmt::format(" (job {} of Slurm)", job), since);
}

Owner this_process(double wall_s) {
  const int pid = getpid();
  const auto identity = system::identify(pid);
  const char* job = std::getenv("SLURM_JOB_ID");
  return {
      .host = host_name(),
      .kernel = system::boot_id() + " " + pid_namespace(),
      .pid = pid,
      .start_ticks = identity ? identity->start_ticks : 0,
      .job = job ? job : "",
      .since = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(wall_s))),
      .nonce = system::new_token()};
}

// Compares both, because two hosts may have the same name, and one kernel two names (containers).
bool is_near(const Owner& holder, const Owner& self) {
  return holder.host == self.host && holder.kernel == self.kernel && holder.start_ticks != 0;
}

class Lease::Impl {
 public:
  Impl(const LeaseTools& tools, std::string folder, std::uint64_t number, LeaseNote note)
      : files_(tools.files), folder_(std::move(folder)), number_(number), note_(std::move(note)) {
    heart_ = std::jthread([this](const std::stop_token& stop) { live(stop); });
  }
  ~Impl() {
    heart_.request_stop();
    heart_.join();
    const std::lock_guard lock(mutex_);
    note_.is_released = true;
    if (!taken_) renew();
  }

  const Owner& owner() const { return note_.owner; }
  Status check() const {
    const std::lock_guard lock(mutex_);
    return taken_ ? Status(*taken_) : Status();
  }
  void beat() {
    const std::lock_guard lock(mutex_);
    if (!taken_) renew();
  }

 private:
  void live(const std::stop_token& stop) {
    std::mutex sleeping;
    std::condition_variable_any wake;
    std::unique_lock lock(sleeping);
    const std::chrono::duration<double> pause(note_.silent_s / k_beats);
    while (!stop.stop_requested()) {
      wake.wait_for(lock, stop, pause, [] { return false; });
      if (!stop.stop_requested()) beat();
    }
  }

  // A file system error costs one renewal; many in a row cost the lease.
  void renew() {
    const Newest newest = newest_in(files_, folder_);
    if (newest.number == number_) {
      ++note_.beat;
      (void)files_.replace(file_of(folder_, number_), to_json_text(note_) + "\n").ok();
    } else if (newest.number > 0) {
      taken_ = Error{.kind = ErrorKind::conflict,
                     .message = fmt::format("the store {} was taken over by {}, because this "
                                            "process gave no sign of life for {:g} s; this process "
                                            "writes nothing more",
                                            protected_by(folder_), newest.owner(), note_.silent_s)};
    }
  }

  system::Files& files_;
  const std::string folder_;
  const std::uint64_t number_;
  mutable std::mutex mutex_;
  LeaseNote note_;
  std::optional<Error> taken_;
  std::jthread heart_;
};

Lease::Lease(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;
const Owner& Lease::owner() const { return impl_->owner(); }
Status Lease::check() const { return impl_->check(); }
void Lease::beat() { impl_->beat(); }

Result<Lease> Lease::take(const LeaseTools& tools, const std::string& folder, double silent_s) {
  ORCH_TRY(tools.files.make_folder(folder));
  const auto say = [&](const std::string& sentence) {
    if (tools.says) tools.says(sentence);
  };
  Newest newest;
  for (int attempt = 0; attempt < k_tries; ++attempt) {
    newest = newest_in(tools.files, folder);
    if (newest.is_held()) {
      const auto alive = lives(newest, tools.self);
      if (alive == true) return in_use(newest, folder);
      if (!alive) {
        const double at_first_s = newest.silent_s() * k_reader_beats / k_beats;
        bool is_heard = changes(tools, folder, newest, at_first_s);
        if (!is_heard) {
          const double rest_s = newest.silent_s() - at_first_s;
          say(fmt::format("waiting up to {:g} s for a sign of life of {}, which holds the store {}",
                          rest_s, newest.owner(), protected_by(folder)));
          is_heard = changes(tools, folder, newest, rest_s);
        }
        if (is_heard) {
          newest = newest_in(tools.files, folder);
          if (newest.is_held()) return in_use(newest, folder);
          continue;
        }
        say(fmt::format("took the store over from {}, which gave no sign of life", newest.owner()));
      }
    }
    const LeaseNote note{
        .owner = tools.self, .silent_s = silent_s, .beat = 0, .is_released = false};
    const std::uint64_t number = newest.number + 1;
    ORCH_ASSIGN(const bool is_ours,
                tools.files.create_once(file_of(folder, number), to_json_text(note) + "\n"));
    if (!is_ours) continue;
    for (const std::uint64_t old : numbers_in(tools.files, folder))
      if (old < number) (void)tools.files.remove_tree(file_of(folder, old)).ok();
    return Lease(std::make_unique<Impl>(tools, folder, number, note));
  }
  return in_use(newest, folder);
}

std::optional<Owner> Lease::holder(const LeaseTools& tools, const std::string& folder) {
  Newest newest = newest_in(tools.files, folder);
  if (!newest.is_held()) return std::nullopt;
  const auto alive = lives(newest, tools.self);
  if (alive == false) return std::nullopt;
  if (!alive) {
    if (!changes(tools, folder, newest, newest.silent_s() * k_reader_beats / k_beats))
      return std::nullopt;
    newest = newest_in(tools.files, folder);
    if (!newest.is_held()) return std::nullopt;
  }
  return newest.note ? newest.note->owner : Owner();
}

}  // namespace orch::lease
