#include "run/slurm/job_agent.hpp"

#include "core/base/text.hpp"
#include "run/slurm/server_ranks.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/node_remains.hpp"
#include "run/slurm/slurm.hpp"
#include "spec/container/container.hpp"
#include "run/execute/guardian_launch.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"
#include "core/secret/redact.hpp"
#include "os/system/gpus.hpp"
#include "os/system/kill_point.hpp"
#include "os/system/nvml/nvml.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace orch::slurm {

namespace {

using execute::GuardianLaunch;

constexpr double k_never = std::numeric_limits<double>::infinity();
constexpr double k_look_s = 0.2;  // between two looks at files of the orchestrator
constexpr double k_again_s = 0.5;
constexpr double k_pulse_s = 2;
constexpr double k_slack_s = 5;    // between the start of a job and that of its agent, and the like
constexpr double k_record_s = 60;  // for a record that cannot be written
constexpr int k_removed_looks = 3;     // after which a folder is gone, and not only out of sight
constexpr double k_ranks_end_s = 10;   // from KILL for the ranks to TERM for what has started them
constexpr double k_ranks_gone_s = 20;  // from the end of the latter to theirs

class Agent {
 public:
  Agent(const AgentHost& host, JobFiles& files, std::string token, bool is_rank)
      : host_(host), files_(files), token_(std::move(token)), is_rank_(is_rank) {}

  // The exit status, which tells srun of a rank whether the others are to end as well.
  int serve() {
    const int status = run();
    write_left();
    return status;
  }

 private:
  int run() {
    watch_signals();
    // What a rank writes goes to srun, which may be dead.
    if (is_rank_) std::signal(SIGPIPE, SIG_IGN);
    auto asked = files_.read_launch(token_);
    if (!asked) {
      lose(token_);
      return 1;
    }
    secrets_ = secret::JsonSecrets(asked->launch.secrets).in_strings;
    grace_s_ = asked->launch.place.grace_s;
    is_server_ = asked->launch.place.is_server;
    const TimeLimit limit = time_limit_of(asked->launch.place);
    if (limit.minutes > 0)
      limit_near_s_ = host_.host.clock.now_s() + limit.minutes * 60 - limit.ahead_s - k_slack_s;
    if (!start(std::move(*asked))) return 1;
    while (!running_.empty()) {
      wait();
      read_signals();
      reap();
      if (host_.host.clock.now_s() < next_look_s_) continue;
      next_look_s_ = host_.host.clock.now_s() + k_look_s;
      beat();
      look_at_files();
      check_deadlines();
      write_again();
    }
    return is_rank_ ? status_ : 0;
  }

  // One launch of this job.
  struct Running {
    std::unique_ptr<GuardianLaunch> launch;
    std::optional<ServerRanks> ranks = {};  // that it has started on the nodes of the job
    bool is_of_keepers = false;
    double ranks_killed_s = k_never, exited_s = k_never;
    double kill_at_s = k_never;
    int asked_signal = 0;
    int removed_looks = 0;  // that did not find its folder
    bool abandoned = false;
  };

  std::string variable(const std::string& name) const {
    return job_variable(host_.environment, name);
  }

  void watch_signals() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&watched, signal);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    signals_ = system::Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  bool end_unstarted(const std::string& token, const Error& why) {
    record({.token = token, .code = -1, .refused = why.message});
    return false;
  }

  // A measurement without a record would count as running as long as its server does.
  void record(execute::Ended ended) {
    if (!files_.write_ended(ended)) unwritten_.push_back(std::move(ended));
  }
  void write_again() {
    std::erase_if(unwritten_, [this](const auto& ended) { return files_.write_ended(ended).ok(); });
  }
  void write_left() {
    for (const double until_s = host_.host.clock.now_s() + k_record_s;
         !unwritten_.empty() && host_.host.clock.now_s() < until_s; write_again())
      host_.host.clock.sleep_s(k_again_s);
  }

  // A power cut has taken its files: it is begun again, like others that were lost.
  void lose(const std::string& token) {
    record({.token = token, .code = -1, .guardian_lost = true});
  }

  // The ports of LAUNCH on this node, which nobody else here has.
  Result<std::map<std::string, int>> lease(const execute::Launch& launch) {
    std::map<std::string, int> ports;
    if (launch.place.ports.empty()) return ports;
    ORCH_ASSIGN(auto leases,
                system::lease_named(host_.ports, launch.place.ports, launch.place.pinned));
    for (std::size_t i = 0; i < leases.size(); ++i) ports[launch.place.ports[i]] = leases[i].port();
    std::move(leases.begin(), leases.end(), std::back_inserter(leases_));
    return ports;
  }

  // GPU number N of this job as its node numbers it.
  std::string gpu_of_job(std::string_view n) const {
    const auto at = to_integer(n);
    const auto all = split(variable("SLURM_JOB_GPUS"), ',');
    return at && *at >= 0 && static_cast<std::size_t>(*at) < all.size() && !all.front().empty()
               ? all[static_cast<std::size_t>(*at)]
               : std::string(n);
  }

  // TEXT with numbers of this node for {port:NAME}, where NAME may begin with PREFIX, and for
  // {gpu:N}, and with its paths for {driver:NAME}.
  std::string with_numbers(std::string_view text, const std::string& prefix = "") const {
    using Text = std::optional<std::string>;
    struct Context {
      const Agent& agent;
      const std::string& prefix;
    };
    using In = const Context&;
    static constexpr render::Provider<std::string, Context> k_provided[] = {
        {container::k_held_gpu,
         [](In in, std::string_view n) { return Text(in.agent.gpu_of_job(n)); }},
        {container::k_driver,
         [](In, std::string_view name) { return Text(system::library_of_driver(name)); }},
        {"port:",
         [](In in, std::string_view port) {
           if (port.starts_with(in.prefix)) port.remove_prefix(in.prefix.size());
           const auto found = in.agent.ports_.find(std::string(port));
           return found == in.agent.ports_.end() ? Text() : Text(std::to_string(found->second));
         }},
    };
    static_assert(render::provides(k_provided, {render::Known::placed}));
    return render::replace_symbols(text, [&](std::string_view name) {
      return render::value_of(k_provided, Context{*this, prefix}, name);
    });
  }
  void fill_in(execute::Launch& launch) const {
    const std::string& prefix = launch.place.port_prefix;
    for (std::string& word : launch.argv) word = with_numbers(word, prefix);
    for (auto& [name, value] : launch.env) value = with_numbers(value, prefix);
  }

  // The GPUs of this job. Numbers that it is given may be its own, and commands that take back what
  // it did may run in a later job.
  Result<std::string> gpus_of_job() const {
    std::string names = variable("CUDA_VISIBLE_DEVICES");
    if (names.empty()) names = variable("SLURM_JOB_GPUS");
    if (names.empty())
      return Error{ErrorKind::not_found,
                   "Slurm names no GPU of this job whose clock could be locked, neither in "
                   "CUDA_VISIBLE_DEVICES nor in SLURM_JOB_GPUS",
                   {}};
    const auto all = system::detect_gpus();
    const auto own =
        all ? system::part_of(*all, split(names, ',')) : Result<system::Gpus>(system::Gpus());
    if (!own || own->each.empty()) return names;
    std::vector<std::string> uuids;
    for (const system::Gpu& gpu : own->each) uuids.push_back(gpu.uuid);
    return join(uuids, ",");
  }
  Status name_gpus(execute::Launch& launch) const {
    for (auto* commands : {&launch.before, &launch.after})
      for (std::vector<std::string>& command : *commands)
        for (std::string& word : command)
          if (word == execute::k_gpus_of_job) {
            ORCH_ASSIGN(word, gpus_of_job());
          }
    return {};
  }

  // What Slurm has given this job, where its configuration is, and what the site has set. A stage
  // that holds no GPU sees none, as that of a measurement beside a server that holds some.
  void add_variables(execute::Launch& launch) const {
    give_variables(host_.site, launch);
    for (const auto& [name, value] : host_.environment)
      if (name.starts_with("SLURM") || name == "SRUN_CPUS_PER_TASK" ||
          (name == container::k_visible_gpus && launch.place.gpus > 0) ||
          name == "GPU_DEVICE_ORDINAL" || (is_rank_ && is_of_mpi(name)))
        launch.env[name] = value;
    if (is_rank_) enter_apptainer(launch);
  }

  // Lets a rank in a container of apptainer reach PMIx; to others, the variables mean nothing.
  void enter_apptainer(execute::Launch& launch) const {
    for (const auto& [name, value] : host_.environment)
      if (name.starts_with("SLURM") || is_of_mpi(name)) launch.env["APPTAINERENV_" + name] = value;
    if (const std::string folder = variable("PMIX_SERVER_TMPDIR"); !folder.empty()) {
      std::string& bind = launch.env["APPTAINER_BIND"];
      bind += (bind.empty() ? "" : ",") + folder;
    }
  }

  static bool is_of_mpi(const std::string& name) {
    return name.starts_with("PMI") || name.starts_with("OMPI_");
  }

  // Divides the server ASKED among the nodes of this job; ASKED is then what starts its ranks.
  Result<std::optional<ServerRanks>> divide(JobFiles::Asked& asked) {
    if (asked.launch.place.nodes <= 1) return std::optional<ServerRanks>();
    std::error_code code;
    const ServerRanks::With with = {
        .files = host_.host.files,
        .folder = files_.attempt(token_),
        .program = std::filesystem::read_symlink("/proc/self/exe", code).string(),
        .environment = host_.environment};
    asked.containment = system::Containment::session;
    node_ = variable("SLURM_JOB_NODELIST");
    if (!asked.launch.place.container.empty()) {
      ORCH_ASSIGN(asked.launch, contained_ranks(with, asked.launch));
      return std::optional<ServerRanks>();
    }
    ORCH_ASSIGN(ServerRanks ranks, ServerRanks::divide(with, asked.launch));
    ORCH_ASSIGN(auto keepers,
                GuardianLaunch::spawn(host_.host, ranks.keepers(), system::Containment::session));
    Running& kept = running_[ranks.keepers().token];
    kept.launch = std::move(keepers);
    kept.is_of_keepers = true;
    asked.launch = ranks.starter();
    return std::optional(std::move(ranks));
  }

  bool start(JobFiles::Asked asked) {
    const std::string token = asked.launch.token;
    auto ports = lease(asked.launch);
    if (!ports) return end_unstarted(token, ports.error());
    ports_.merge(*ports);
    use_folders_of_node(host_.host.files, asked.launch);
    fill_in(asked.launch);
    if (const Status named = name_gpus(asked.launch); !named)
      return end_unstarted(token, named.error());
    auto ranks = divide(asked);
    if (!ranks) return end_unstarted(token, ranks.error());
    add_variables(asked.launch);
    host_.remains.keep(asked.launch);
    if (const Status kept = files_.write_remains(asked.launch); !kept)
      return end_unstarted(token, kept.error());
    auto started =
        GuardianLaunch::spawn(host_.host, std::move(asked.launch), asked.containment, asked.level);
    if (!started) return end_unstarted(token, started.error());
    running_[token].launch = std::move(*started);
    if (token == token_) started_s_ = idle_since_s_ = host_.host.clock.now_s();
    if (*ranks) running_[token].ranks.emplace(std::move(**ranks));
    system::kill_point("job-spawned");
    const JobFiles::Started place{node(), variable("SLURM_JOB_ID"), ports_};
    (void)files_.write_started(token, place).ok();
    return true;
  }

  // Slurm has told this job to end.
  bool is_stopped() const { return stopped_at_s_ < k_never; }

  // Where this job is: "n1", or "n[1-2]" with ranks on several nodes.
  std::string node() const { return node_.empty() ? variable("SLURMD_NODENAME") : node_; }

  // Says that this job lives, and listens whether the orchestrator does.
  void beat() {
    const double now_s = host_.host.clock.now_s();
    if (now_s < next_pulse_s_) return;
    next_pulse_s_ = now_s + k_pulse_s;
    files_.pulse(token_, ++beats_);
    for (auto& [token, one] : running_) {
      if (one.ranks) one.ranks->beat();
      if (!one.is_of_keepers) look_for_folder(token, one);
    }
    if (std::string heard = files_.last_beat(); heard != heard_) {
      heard_ = std::move(heard);
      heard_at_s_ = now_s;
    }
  }

  // Whoever removed the folder of ONE has written it off, and may have begun it elsewhere.
  void look_for_folder(const std::string& token, Running& one) const {
    one.removed_looks = files_.is_removed(token) ? one.removed_looks + 1 : 0;
    if (one.removed_looks >= k_removed_looks) kill(one);
  }

  void wait() {
    std::vector<pollfd> waits = {{signals_.get(), POLLIN, 0}, {host_.children, POLLIN, 0}};
    for (auto& [token, one] : running_)
      if (const int log = one.launch->log().read_end(); log >= 0) waits.push_back({log, POLLIN, 0});
    ::poll(waits.data(), waits.size(), static_cast<int>(k_look_s * 1000));
  }

  void reap() {
    const std::vector<system::Exit> exits = host_.host.processes.wait(0);
    for (auto at = running_.begin(); at != running_.end();) {
      Running& one = at->second;
      one.launch->log().drain();
      for (const system::Exit& exit : exits)
        if (one.launch->is_leader(exit)) one.launch->record_exit(exit);
      const bool is_over = one.launch->has_exited() && are_ranks_gone(one);
      auto ended = is_over ? one.launch->finish(one.abandoned) : std::nullopt;
      // Slurm signals all processes of a job, and this one may hear of it last.
      if (ended && one.asked_signal == 0 && (ended->signal != 0 || ended->code > 128))
        wait_for_signal();
      if (ended && one.ranks)
        one.ranks->add_to(*ended, is_stopped() || one.abandoned || one.asked_signal != 0);
      if (ended && !one.is_of_keepers) report(at->first, std::move(*ended));
      at = ended ? running_.erase(at) : std::next(at);
    }
  }

  // What has started the ranks of ONE has exited. Where it was killed, they are not told.
  bool are_ranks_gone(Running& one) {
    if (!one.ranks || one.ranks->have_ended()) return true;
    const double now_s = host_.host.clock.now_s();
    if (one.exited_s == k_never) one.ranks->signal(SIGKILL);
    one.exited_s = std::min(one.exited_s, now_s);
    return now_s >= one.exited_s + k_ranks_gone_s;
  }

  void report(const std::string& token, execute::Ended ended) {
    const bool is_told = is_stopped() || ended.abandoned || running_[token].asked_signal != 0;
    const int status = ended.code >= 0 ? ended.code : 128 + ended.signal;
    ended.node = node();
    ended.job = variable("SLURM_JOB_ID");
    ended.stopped_by_slurm = is_stopped();
    // A job that ends in time is no TIMEOUT for Slurm.
    if (token == token_ && ended.stopped_by_slurm && stopped_at_s_ >= limit_near_s_)
      ended.job_state = "TIMEOUT";
    system::kill_point("job-before-ended");
    record(std::move(ended));
    host_.remains.forget(token);
    idle_since_s_ = host_.host.clock.now_s();
    if (token != token_) return;
    status_ = is_told ? 0 : status;
    // A server's measurements cannot outlive it.
    for (auto& [other, one] : running_)
      if (other != token_) kill(one);
  }

  // Signals the processes of ONE, wherever they are.
  void send(Running& one, int signal) {
    if (one.launch->has_exited()) return;
    if (!one.ranks) return one.launch->signal(signal);
    one.ranks->signal(signal);
    if (signal != SIGKILL) return;
    const double now_s = host_.host.clock.now_s();
    one.ranks_killed_s = std::min(one.ranks_killed_s, now_s);
    if (now_s >= one.ranks_killed_s + 2 * k_ranks_end_s) one.launch->signal(SIGKILL);
    // srun ends its step.
    else if (now_s >= one.ranks_killed_s + k_ranks_end_s) one.launch->signal(SIGTERM);
  }
  void terminate(Running& one) {
    send(one, SIGTERM);
    one.kill_at_s = std::min(one.kill_at_s, host_.host.clock.now_s() + one.launch->launch().stop_s);
  }
  static void kill(Running& one) { one.kill_at_s = 0; }

  // The time limit is near, or the job was cancelled or preempted.
  void read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      stopped_at_s_ = std::min(stopped_at_s_, host_.host.clock.now_s());
      // Slurm kills a rank soon, and the server is over: it is cleaned up meanwhile.
      for (auto& [token, one] : running_)
        if (!one.is_of_keepers) is_rank_ ? kill(one) : terminate(one);
    }
  }
  void wait_for_signal() {
    pollfd one{signals_.get(), POLLIN, 0};
    ::poll(&one, 1, static_cast<int>(k_again_s * 1000));
    read_signals();
  }

  void look_at_files() {
    for (auto& [token, one] : running_) {
      if (one.is_of_keepers) continue;
      const int signal = files_.asked_signal(token);
      if (signal == one.asked_signal) continue;
      one.asked_signal = signal;
      if (signal == SIGTERM) send(one, SIGTERM);
      if (signal == SIGKILL) kill(one);
    }
    if (!is_server_ || !running_.contains(token_)) return;
    probe();
    for (const std::string& token : files_.asked_of(token_)) {
      if (seen_.contains(token)) continue;
      const auto claimed = files_.claim(token, host_.who);
      if (!claimed) continue;  // tried again
      seen_.insert(token);
      if (!*claimed) continue;
      auto asked = files_.read_launch(token);
      if (asked) (void)start(std::move(*asked));
      else lose(token);
    }
  }

  void probe() {
    if (is_reported_) return;
    // A run that takes the server over writes it again.
    if (auto probe = files_.take_probe(token_); probe && !std::exchange(is_probed_, true)) {
      for (std::string& url : probe->get) url = with_numbers(url);
      for (std::string& url : probe->smoke) url = with_numbers(url);
      probe->redact = [secrets = secrets_](std::string_view text) {
        return secret::redacted(*secrets, text);
      };
      host_.readiness.watch(token_, *probe);
    }
    if (!is_probed_) return;
    attempt::HealthReport report = host_.readiness.report(token_);
    if (report.health == attempt::Health::pending) return;
    report.start_s = host_.host.clock.now_s() - started_s_;
    is_reported_ = files_.write_health(token_, report).ok();
    idle_since_s_ = host_.host.clock.now_s();
  }

  void check_deadlines() {
    const double now_s = host_.host.clock.now_s();
    for (auto& [token, one] : running_) {
      if (now_s < one.kill_at_s) continue;
      send(one, SIGKILL);
      one.kill_at_s = now_s + k_again_s;
    }
    // A server without work whose orchestrator is gone gives its allocation back.
    const auto server = running_.find(token_);
    if (!is_server_ || server == running_.end() || server->second.abandoned) return;
    if (std::ranges::count_if(running_, [](const auto& one) { return !one.second.is_of_keepers; }) >
        1)
      idle_since_s_ = now_s;
    if (now_s < std::max(idle_since_s_, heard_at_s_) + grace_s_) return;
    server->second.abandoned = true;
    terminate(server->second);
  }

  AgentHost host_;
  JobFiles& files_;
  std::string token_;
  std::map<std::string, Running> running_;  // by token; this job's own first launch among them
  std::map<std::string, int> ports_;
  std::vector<system::PortLease> leases_;
  std::set<std::string> seen_;  // measurements that were asked for
  std::vector<execute::Ended> unwritten_;
  std::shared_ptr<const secret::Secrets> secrets_;  // that no message about the server may have
  system::Descriptor signals_;
  std::string node_;   // "": that of this process
  std::string heard_;  // of the orchestrator
  std::uint64_t beats_ = 0;
  double grace_s_ = 120, next_look_s_ = 0, next_pulse_s_ = 0, idle_since_s_ = 0, heard_at_s_ = 0;
  double started_s_ = 0, stopped_at_s_ = k_never, limit_near_s_ = k_never;
  bool is_server_ = false, is_probed_ = false, is_reported_ = false;
  const bool is_rank_;
  int status_ = 1;
};

}  // namespace

int serve_as_job(const AgentHost& host, const std::string& folder) {
  if (ServerRanks::is_of_keepers(folder))
    return ServerRanks::keep(host.host, host.environment, job_attempt(folder));
  JobFiles files(host.host.files, job_store(folder));
  const std::string token = job_token(files, host.environment, folder);
  system::kill_point("job-began");
  if (token.empty()) return 0;
  const auto claimed = files.is_wanted(token) ? files.claim(token, host.who) : Result<bool>(false);
  if (!claimed) {
    fmt::print(stderr, "orchestrate: {}\n", claimed.error().text());
    return 1;
  }
  if (!*claimed) files.note_second_start(token);
  if (!*claimed) return 0;
  system::kill_point("job-claimed");
  host.remains.clear(host.host);
  const bool is_rank = ServerRanks::rank_of(host.environment, folder).has_value();
  return Agent(host, files, token, is_rank).serve();
}

}  // namespace orch::slurm
