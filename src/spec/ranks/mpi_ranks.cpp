#include "spec/ranks/mpi_ranks.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch::ranks {

namespace {

using Words = std::vector<std::string>;

// Reads the options of mpirun from WORD on, up to the program. False if one of them is unknown.
bool read_options(Words::const_iterator& word, Words::const_iterator end, MpiRanks& ranks,
                  int& count) {
  while (word != end && word->starts_with('-')) {
    const auto left = end - word;
    if (*word == "--allow-run-as-root" || *word == "--oversubscribe" || *word == "--noprefix") {
      if (!contains(ranks.mpirun, *word)) ranks.mpirun.push_back(*word);
      word += 1;
    } else if ((*word == "-n" || *word == "-np") && left > 1) {
      const auto number = to_integer(*(word + 1));
      if (!number || *number < 1) return false;
      count = static_cast<int>(*number);
      word += 2;
    } else if (*word == "--bind-to" && left > 1 && *(word + 1) == "none") {
      ranks.is_bound = false;
      word += 2;
    } else if (*word == "--mca" && left > 2) {
      // Options of oob are only for mpirun's own daemons.
      if (!(word + 1)->starts_with("oob_")) ranks.env["OMPI_MCA_" + *(word + 1)] = *(word + 2);
      word += 3;
    } else if (*word == "-x" && left > 1 && (word + 1)->find('=') != std::string::npos) {
      const std::size_t equals = (word + 1)->find('=');
      ranks.env[(word + 1)->substr(0, equals)] = (word + 1)->substr(equals + 1);
      word += 2;
    } else {
      return false;
    }
  }
  return word != end;
}

// The common form of A, an argument of rank FIRST, and B, the same argument of rank LAST; nullopt:
// none.
std::optional<std::string> common_word(const std::string& a, int first, const std::string& b,
                                       int last) {
  if (a == b) return a;
  const std::string one = std::to_string(first), other = std::to_string(last);
  for (std::size_t at = a.find(one); at != std::string::npos; at = a.find(one, at + 1))
    if (a.substr(0, at) + other + a.substr(at + one.size()) == b)
      return a.substr(0, at) + k_rank_symbol + a.substr(at + one.size());
  return std::nullopt;
}

std::string of_rank(std::string word, int rank) {
  const std::size_t at = word.find(k_rank_symbol);
  return at == std::string::npos
             ? word
             : word.replace(at, std::string_view(k_rank_symbol).size(), std::to_string(rank));
}

// "0", "1 | 2 | 3" or "*", as the pattern of a shell case.
std::string pattern_of(const MpiRanks& ranks, const MpiRanks::Same& same) {
  if (same.last == ranks.count - 1) return "*";
  Words numbers;
  for (int rank = same.first; rank <= same.last; ++rank) numbers.push_back(std::to_string(rank));
  return join(numbers, " | ");
}

// Adds rank RANK, which runs ARGV, to SAME if possible. Returns whether it was.
bool joins(MpiRanks::Same& same, const Words& argv, int rank) {
  if (argv.size() != same.argv.size()) return false;
  Words joined;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string& known = same.argv[i];
    const auto word = known.find(k_rank_symbol) == std::string::npos
                          ? common_word(known, same.first, argv[i], rank)
                      : of_rank(known, rank) == argv[i] ? std::optional(known)
                                                        : std::nullopt;
    // An argument that was equal in all earlier ranks cannot depend on the rank.
    if (!word || (*word != known && same.first != same.last)) return false;
    joined.push_back(*word);
  }
  same.argv = std::move(joined);
  same.last = rank;
  return true;
}

}  // namespace

bool is_mpirun(const std::string& word) { return word == "mpirun" || word.ends_with("/mpirun"); }

std::optional<MpiRanks> mpi_ranks(const std::vector<std::string>& argv) {
  const auto mpirun = std::ranges::find_if(argv, is_mpirun);
  if (mpirun == argv.end() || std::count_if(mpirun, argv.end(), is_mpirun) > 1) return std::nullopt;
  MpiRanks ranks;
  ranks.mpirun = {*mpirun};
  for (auto word = mpirun + 1; word != argv.end();) {
    int count = 1;
    const auto end = std::find(word, argv.end(), ":");
    if (!read_options(word, end, ranks, count)) return std::nullopt;
    Words program(argv.begin(), mpirun);
    program.insert(program.end(), word, end);
    for (int i = 0; i < count; ++i, ++ranks.count)
      if (ranks.programs.empty() || !joins(ranks.programs.back(), program, ranks.count))
        ranks.programs.push_back({ranks.count, ranks.count, program});
    word = end == argv.end() ? end : end + 1;
  }
  return ranks.count > 1 ? std::optional(ranks) : std::nullopt;
}

std::vector<std::string> argv_of(const MpiRanks& ranks, int rank) {
  for (const MpiRanks::Same& same : ranks.programs) {
    if (rank < same.first || rank > same.last) continue;
    Words argv;
    for (const std::string& word : same.argv) argv.push_back(of_rank(word, rank));
    return argv;
  }
  return {};
}

std::map<std::string, std::string> variables_of(const MpiRanks& ranks, int nodes) {
  std::map<std::string, std::string> variables = ranks.env;
  if (nodes > 1)
    std::erase_if(variables, [](const auto& one) { return one.first.starts_with("OMPI_MCA_btl"); });
  return variables;
}

std::string shell_lines(const MpiRanks& ranks, int nodes, const ShellWriter& text) {
  std::string lines;
  for (const auto& [name, value] : variables_of(ranks, nodes))
    lines += fmt::format("export {}={}\n", name, text.value(value));
  if (ranks.programs.size() == 1)
    return lines + "exec " + text.command(ranks.programs.front().argv) + "\n";
  lines += fmt::format("case ${} in\n", k_rank_variable);
  for (const MpiRanks::Same& same : ranks.programs)
    lines += fmt::format("{})\n  exec {} ;;\n", pattern_of(ranks, same), text.command(same.argv));
  return lines + "esac\n";
}

std::vector<std::string> srun_words(const MpiRanks& ranks, int nodes, const std::string& mpi) {
  Words words = {"--mpi=" + mpi, "--kill-on-bad-exit=1", fmt::format("--nodes={}", nodes),
                 fmt::format("--ntasks-per-node={}", ranks.count / nodes)};
  if (!ranks.is_bound) words.emplace_back("--cpu-bind=none");
  return words;
}

std::vector<std::string> mpirun_words(const MpiRanks& ranks, int nodes) {
  Words words = ranks.mpirun;
  if (!ranks.is_bound) words.insert(words.end(), {"--bind-to", "none"});
  words.insert(words.end(), {"--map-by", fmt::format("ppr:{}:node", ranks.count / nodes), "-n",
                             std::to_string(ranks.count)});
  return words;
}

std::optional<int> nodes_for(int ranks, int gpus, const Nodes& nodes) {
  if (nodes.gpus <= 0 || gpus <= nodes.gpus) return 1;
  for (int count = 2; count <= nodes.count && count <= ranks; ++count)
    if (ranks % count == 0 && gpus % count == 0 && gpus / count <= nodes.gpus) return count;
  return std::nullopt;
}

}  // namespace orch::ranks
