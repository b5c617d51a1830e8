#include "run/slurm/server_ranks.hpp"

#include "core/base/text.hpp"
#include "run/attempt/failure.hpp"
#include "run/execute/guardian.hpp"
#include "run/slurm/job_agent.hpp"
#include "run/slurm/node_remains.hpp"
#include "spec/container/container.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <limits>

namespace orch::slurm {

namespace {

using Words = std::vector<std::string>;

// The time between two checks for a report: a job may be queued for hours, and each check lists a
// folder of a shared file system.
constexpr double k_report_s = 0.2;

constexpr const char* k_batch = "ranks";
constexpr const char* k_keepers = "keepers";
constexpr double k_rank_grace_s = 60;  // without a sign of life of the job's agent
constexpr int k_others_s = 5;          // from the end of the first rank to that of the others
constexpr double k_own_end_s = 1;      // that a rank gets to end itself when told to
constexpr double k_keeper_look_s = 0.2;

std::string beside(const std::string& path, const std::string& name) {
  return path.empty() ? "" : (std::filesystem::path(path).parent_path() / name).string();
}

// Whether a rank crashed. TERM and KILL do not count: Slurm sends them to the other ranks.
bool is_crash(const execute::Ended& ended) {
  return ended.signal != 0 && ended.signal != SIGTERM && ended.signal != SIGKILL;
}

// The launch of rank RANK of SERVER.
execute::Launch launch_of(const execute::Launch& server, const ranks::MpiRanks& ranks, int rank) {
  execute::Launch launch = server;
  launch.argv = ranks::argv_of(ranks, rank);
  for (const auto& [name, value] : ranks::variables_of(ranks, server.place.nodes))
    launch.env[name] = value;
  launch.token = system::new_token();
  // The output of a rank goes to the starter, whose log has the output of all ranks.
  launch.log.clear();
  launch.tmp = beside(server.tmp, launch.token);
  launch.shm_folder = beside(server.shm_folder, launch.token);
  // The folders are also in the arguments, which may start a container.
  rename_folder(launch, server.tmp, launch.tmp);
  rename_folder(launch, server.shm_folder, launch.shm_folder);
  // Ranks on a node identify each other's shared memory by pid, which a PID namespace would change.
  launch.containment = system::Containment::session;
  launch.before.clear();
  launch.after.clear();
  launch.place = {.grace_s = k_rank_grace_s, .is_server = true};
  return launch;
}

// Kills the steps named $1, and fails if any is left. By name, because steps outlive a killed srun,
// and ids are reused.
constexpr const char* k_kill_steps =
    "for try in 1 2 3 4 5 6 7 8 9 10; do "
    "all=$(squeue --steps --noheader --format='%i %j' --user=\"$(id -u)\") || exit 1; "
    "own=$(echo \"$all\" | while read -r id name; do "
    "[ \"$name\" != \"$1\" ] || echo \"$id\"; done); "
    "[ -n \"$own\" ] || exit 0; "
    "scancel --signal=KILL $own; sleep 1; done; exit 1";

// Removes the folders $3... on the $2 nodes of job $1. Never fails, because the job may be over.
constexpr const char* k_remove_folders =
    "job=$1 nodes=$2; shift 2; srun --jobid=\"$job\" --overlap --mpi=none --gres=none "
    "--nodes=\"$nodes\" --ntasks=\"$nodes\" --ntasks-per-node=1 --cpus-per-task=1 "
    "/bin/rm -rf \"$@\" >/dev/null 2>&1 || exit 0";

// SCRIPT with its ARGUMENTS, in an environment where Slurm's commands can be found and find their
// cluster.
Words shell_words(const std::map<std::string, std::string>& environment, const char* script,
                  const Words& arguments) {
  Words words = {"/usr/bin/env"};
  for (const char* name : {"PATH", "SLURM_CONF"})
    if (environment.contains(name))
      words.push_back(fmt::format("{}={}", name, environment.at(name)));
  words.insert(words.end(), {"/bin/sh", "-c", script, "sh"});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::string rank_word(const std::string& word) {
  const std::size_t at = word.find(ranks::k_rank_symbol);
  if (at == std::string::npos) return shell_quote(word);
  return fmt::format("{}\"${}\"{}", shell_quote(word.substr(0, at)), ranks::k_rank_variable,
                     shell_quote(word.substr(at + std::string_view(ranks::k_rank_symbol).size())));
}

// The commands of one rank. The rank makes its private folders itself: those of SERVER exist only
// on the first node, or outside the container.
std::string script_of(const ranks::MpiRanks& ranks, const execute::Launch& server) {
  std::string lines;
  for (const std::string& folder : {server.tmp, server.shm_folder})
    if (!folder.empty()) lines += fmt::format("mkdir -p -m 700 {}\n", shell_quote(folder));
  const auto value = [](const std::string& text) { return shell_quote(text); };
  const auto command = [](const Words& argv) {
    Words words;
    for (const std::string& word : argv) words.push_back(rank_word(word));
    return join(words, " ");
  };
  return lines +
         ranks::shell_lines(ranks, server.place.nodes, {.value = value, .command = command});
}

// The command that starts RANKS on the nodes of a job: srun, or mpirun if PLACE requests it.
Words starting_words(const execute::Place& place, const ranks::MpiRanks& ranks) {
  if (place.mpi == ranks::k_by_mpirun) return ranks::mpirun_words(ranks, place.nodes);
  Words words = {"srun", "--overlap", "--export=ALL", "--distribution=block",
                 fmt::format("--wait={}", k_others_s)};
  for (std::string& word : ranks::srun_words(ranks, place.nodes, place.mpi))
    words.push_back(std::move(word));
  return words;
}

}  // namespace

void JobReadiness::watch(const std::string& token, const attempt::Probe& probe) {
  // An agent that has already reported does not accept another probe.
  const Status written = files_.health(token) ? Status() : files_.write_probe(token, probe);
  if (written) unasked_.erase(token);
  else unasked_[token] = written.error();
}

attempt::HealthReport JobReadiness::report(const std::string& token) {
  if (const auto unasked = unasked_.find(token); unasked != unasked_.end())
    return {attempt::Health::failed, unasked->second.message,
            attempt::class_of(unasked->second, attempt::FailureClass::io_error)};
  double& next_s = next_look_s_[token];
  const double now_s = clock_.now_s();
  if (now_s < next_s) return {};
  if (auto report = files_.health(token)) return *std::move(report);
  next_s = now_s + k_report_s;
  return {};
}

void JobReadiness::forget(const std::string& token) {
  unasked_.erase(token);
  next_look_s_.erase(token);
}

Result<std::vector<system::PortLease>> JobPorts::lease(std::size_t count) {
  std::vector<system::PortLease> leases;
  for (std::size_t i = 0; i < count; ++i) leases.emplace_back(0, system::Descriptor());
  return leases;
}

Result<ServerRanks> ServerRanks::divide(const With& with, const execute::Launch& server) {
  const auto ranks = ranks::mpi_ranks(container::put_in(server.argv, {}));
  if (!ranks) return invalid("its command does not start its ranks with one mpirun");
  ServerRanks made(with.files, with.folder);
  for (int rank = 0; rank < ranks->count; ++rank) {
    execute::Launch launch = launch_of(server, *ranks, rank);
    launch.exit_record = made.files_.attempt(launch.token) + "/exit.json";
    launch.undo = made.files_.attempt(launch.token) + "/undo.json";
    ORCH_TRY(made.files_.write_launch(launch, system::LogLevel::off));
    made.tokens_.push_back(launch.token);
  }
  for (const char* batch : {k_batch, k_keepers})
    ORCH_TRY(
        made.files_.write_batch({.name = batch, .tokens = made.tokens_, .program = with.program}));
  made.beat();
  made.starter_ = made.launch_by(starting_words(server.place, *ranks), k_batch, server);
  made.starter_.env = with.environment;
  made.keepers_ = made.launch_by(
      {"srun", "--overlap", "--export=ALL", "--mpi=none", "--gres=none",
       fmt::format("--nodes={}", server.place.nodes),
       fmt::format("--ntasks={}", server.place.nodes), "--ntasks-per-node=1", "--cpus-per-task=1"},
      k_keepers, server);
  made.keepers_.env = with.environment;
  made.keepers_.token = system::new_token();
  made.keepers_.log = with.folder + "/ranks/keepers.log";
  made.keepers_.exit_record.clear();
  made.keepers_.shm_prefix.clear();
  return made;
}

// The launch that starts batch BATCH on the nodes of SERVER with the arguments WORDS.
execute::Launch ServerRanks::launch_by(std::vector<std::string> words, const std::string& batch,
                                       const execute::Launch& server) const {
  execute::Launch launch = server;
  // Without the token's variable, the started processes are not part of this launch's tree: each
  // node ends its own processes.
  words.insert(words.begin(), {"/usr/bin/env", "-u", system::k_token_variable});
  words.insert(words.end(), {"/bin/sh", files_.batch_folder(batch) + "/script.sh"});
  launch.argv = std::move(words);
  // These folders would exist on this node only.
  launch.tmp.clear();
  launch.shm_folder.clear();
  launch.hidden.clear();
  launch.hidden_file.clear();
  return launch;
}

ServerRanks ServerRanks::of(system::Files& files, const std::string& folder) {
  ServerRanks found(files, folder);
  found.tokens_ = found.files_.tokens_of(k_batch);
  return found;
}

std::optional<int> ServerRanks::rank_of(const std::map<std::string, std::string>& environment,
                                        const std::string& folder) {
  if (std::filesystem::path(folder).filename() != k_batch) return std::nullopt;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const auto rank = to_integer(job_variable(environment, name)))
      return static_cast<int>(*rank);
  return std::nullopt;
}

void ServerRanks::beat() { files_.beat(static_cast<double>(++beats_)); }

void ServerRanks::signal(int signal) {
  for (const std::string& token : tokens_)
    if (!files_.read_ended(token)) (void)files_.signal(token, signal).ok();
}

bool ServerRanks::has_ended(const std::string& token) {
  return files_.read_ended(token) || files_.write_off(token);
}

bool ServerRanks::have_ended() {
  return std::ranges::all_of(tokens_, [&](const std::string& token) { return has_ended(token); });
}

void ServerRanks::add_to(execute::Ended& ended, bool told) {
  std::optional<execute::Ended> first;  // that ended by itself
  bool is_lost = false;
  for (std::size_t rank = 0; rank < tokens_.size(); ++rank) {
    const auto one = files_.read_ended(tokens_[rank]);
    if (!one) continue;
    ended.cpu_s += one->cpu_s;
    ended.max_rss_bytes = std::max(ended.max_rss_bytes, one->max_rss_bytes);
    ended.oom_killed |= one->oom_killed;
    is_lost |= one->guardian_lost;
    if (!one->guardian_lost && !one->stopped_by_slurm && !one->abandoned &&
        (!first ||
         std::pair(!is_crash(*one), one->wall_s) < std::pair(!is_crash(*first), first->wall_s)))
      first = one;
    if (ended.full_disk.empty()) ended.full_disk = one->full_disk;
    if (ended.refused.empty() && !one->refused.empty())
      ended.refused = fmt::format("rank {}: {}", rank, one->refused);
  }
  if (told) ended.refused.clear();
  else if (first && ended.refused.empty()) {
    ended.code = first->code >= 0 ? first->code : 128 + first->signal;
    ended.signal = 0;
  } else if (!first) {
    ended.guardian_lost |= is_lost;
  }
}

bool ServerRanks::is_of_keepers(const std::string& folder) {
  return std::filesystem::path(folder).filename() == k_keepers;
}

int ServerRanks::keep(const system::Host& host,
                      const std::map<std::string, std::string>& environment,
                      const std::string& folder) {
  execute::EndSignals signals;
  ServerRanks ranks = of(host.files, folder);
  AgentFiles files(host.files, folder + "/ranks");
  const auto node = to_integer(job_variable(environment, "SLURM_NODEID"));
  const auto nodes = to_integer(job_variable(environment, "SLURM_NNODES"));
  if (!node || !nodes || *nodes < 1) return 1;
  // The ranks are assigned to the nodes in order, with the same number on each node.
  const auto each = static_cast<std::ptrdiff_t>(ranks.tokens_.size()) / *nodes;
  const auto from = ranks.tokens_.begin() + *node * each;
  std::vector<std::string> left(from, from + each);
  std::string heard;
  double heard_s = host.clock.now_s(), told_s = std::numeric_limits<double>::infinity();
  while (!left.empty()) {
    const bool is_signalled = signals.take(k_keeper_look_s) > 0;
    const double now_s = host.clock.now_s();
    if (std::string beat = files.last_beat(); beat != heard) {
      heard = std::move(beat);
      heard_s = now_s;
    }
    const bool is_told = std::ranges::any_of(
        left, [&](const std::string& token) { return files.asked_signal(token) == SIGKILL; });
    if (is_told || now_s >= heard_s + k_rank_grace_s) told_s = std::min(told_s, now_s);
    // Slurm has also told the agents to end, and will soon kill this process.
    if (is_signalled) told_s = now_s - k_own_end_s;
    const bool is_late = now_s >= told_s + k_own_end_s;
    std::erase_if(left, [&](const std::string& token) {
      if (is_late && !ranks.has_ended(token)) settle_launch(host, environment, files, token);
      return files.read_ended(token) || (is_late && ranks.has_ended(token));
    });
  }
  return 0;
}

Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server) {
  const auto ranks = ranks::mpi_ranks(server.argv);
  if (!ranks) return invalid("its command does not start its ranks with one mpirun");
  const std::string folder = with.folder + "/ranks", script = folder + "/rank.sh";
  ORCH_TRY(with.files.make_folder(folder));
  ORCH_TRY(with.files.put(script, script_of(*ranks, server)));
  Words words = starting_words(server.place, *ranks);
  const Words& container = server.place.container;
  words.front() = container.front();
  words.push_back("--job-name=" + server.token);
  words.insert(words.end(), container.begin() + 1, container.end());
  words.insert(words.end(), {"/bin/sh", script});
  execute::Launch launch = server;
  launch.argv = std::move(words);
  launch.after.insert(
      launch.after.begin(),
      {shell_words(with.environment, k_kill_steps, {server.token}),
       shell_words(with.environment, k_remove_folders,
                   {job_variable(with.environment, "SLURM_JOB_ID"),
                    std::to_string(server.place.nodes), server.tmp, server.shm_folder})});
  return launch;
}

}  // namespace orch::slurm
