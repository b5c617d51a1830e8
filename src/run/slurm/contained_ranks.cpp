#include "run/slurm/contained_ranks.hpp"

#include "core/base/text.hpp"
#include "spec/ranks/mpi_ranks.hpp"

namespace orch::slurm {

namespace {

using Words = std::vector<std::string>;

// Kills the steps with the name $1, and fails unless none is left. Steps whose srun was killed live
// on, and ids are used again.
constexpr const char* k_kill_steps =
    "for try in 1 2 3 4 5 6 7 8 9 10; do "
    "all=$(squeue --steps --noheader --format='%i %j' --user=\"$(id -u)\") || exit 1; "
    "own=$(echo \"$all\" | while read -r id name; do "
    "[ \"$name\" != \"$1\" ] || echo \"$id\"; done); "
    "[ -n \"$own\" ] || exit 0; "
    "scancel --signal=KILL $own; sleep 1; done; exit 1";

// Removes the folders $3... on the $2 nodes of the job $1. A job that is over has none.
constexpr const char* k_remove_folders =
    "job=$1 nodes=$2; shift 2; srun --jobid=\"$job\" --overlap --mpi=none --gres=none "
    "--nodes=\"$nodes\" --ntasks=\"$nodes\" --ntasks-per-node=1 --cpus-per-task=1 "
    "/bin/rm -rf \"$@\" >/dev/null 2>&1 || exit 0";

// SCRIPT with its ARGUMENTS, where the commands of Slurm are found and find their cluster.
Words shell_words(const std::map<std::string, std::string>& environment, const char* script,
                  const Words& arguments) {
  Words words = {"/usr/bin/env"};
  for (const char* name : {"PATH", "SLURM_CONF"})
    if (const auto found = environment.find(name); found != environment.end())
      words.push_back(fmt::format("{}={}", name, found->second));
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

// The private folders of SERVER exist on its first node only, or outside of the container.
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

}  // namespace

Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server) {
  const auto ranks = ranks::mpi_ranks(server.argv);
  if (!ranks) return invalid("its command does not start ranks by one mpirun");
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
  const auto job = with.environment.find("SLURM_JOB_ID");
  launch.after.insert(
      launch.after.begin(),
      {shell_words(with.environment, k_kill_steps, {server.token}),
       shell_words(with.environment, k_remove_folders,
                   {job == with.environment.end() ? "" : job->second,
                    std::to_string(server.place.nodes), server.tmp, server.shm_folder})});
  return launch;
}

}  // namespace orch::slurm
