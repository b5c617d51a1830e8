// The symbols that texts may have besides the names of parameters, in one table: what each means,
// which texts may use it, and when its value is known. The values come from the tables of
// providers, and a provider that lacks a symbol does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

// When the value of a symbol is known, and what provides it.
enum class Known {
  planned,   // in the digest: plan/graph/symbol_values.cpp
  hashed,    // after the digest, which has an identity or nothing in its place: the same file
  started,   // with the arguments that start a container: container::put_in() and words_of()
  launched,  // when an attempt is described: run/attempt/launch_symbols.cpp; in a script:
             // run/script/stage_text.cpp
  placed,    // as launched or, where a cluster chooses it, on the node: run/slurm/job_agent.cpp
};

enum class UsedBy {
  stages,
  stages_and_resolvers,
  measurements,
  batches,
  counted_parts,  // of argv
  program,        // not used in manifests
};

inline constexpr std::string_view k_usual_address = "127.0.0.1";

struct KnownSymbol {
  std::string_view name;  // of a family up to its ':', which the name of a member follows
  Known known;
  UsedBy used_by;
  std::string_view meaning;
  std::string_view refusal = "";    // message for a stage that may not use it, with the remedy
  std::string_view in_digest = "";  // its replacement in a digest; "": the symbol stays
  bool in_values = false;           // values of parameters may contain it
};

// In the order of suggestions.
inline constexpr auto k_known_symbols = [] {
  using enum Known;
  using enum UsedBy;
  return std::to_array<KnownSymbol>({
      {"file:", launched, stages, "the path of a file of the runner"},
      {"stage:", launched, stages, "the output folder of a stage"},
      {"id:", planned, stages, "the id of a stage"},
      {"port:", placed, stages, "the number of a port"},
      {"out", launched, stages, "the folder of its outputs"},
      {"work", launched, stages, "its working folder"},
      {"orchestrate", launched, stages, "the path of this program"},
      {"repeat", planned, stages, "the number of the repeat"},
      {"tmp", launched, stages, "a private folder for temporary files"},
      {"token", launched, stages, "the unique name of the attempt"},
      {"bind", launched, stages, "the address on which servers listen", "", k_usual_address, true},
      {"connect", launched, stages, "the address of servers here", "", k_usual_address, true},
      {"container", started, stages, "the words that start its container", "", "", true},
      {"model.source", hashed, stages_and_resolvers, "where the model is"},
      {"model.revision", hashed, stages_and_resolvers, "the commit of the model"},
      {"dataset.source", hashed, stages, "where the rows of the dataset are"},
      {"dataset.origin", hashed, stages, "where the dataset is fetched from"},
      {"dataset.revision", hashed, stages, "the commit or sha256 of the dataset"},
      {"dataset.files", planned, stages, "the list of the files of the dataset"},
      {"dataset.tokens", planned, stages, "the lengths by which its rows are chosen"},
      {"measure.warmup", planned, stages, "requests before the measurement"},
      {"measure.seed", planned, stages, "the seed of random numbers"},
      {"measure.blocks", planned, stages, "how many sets of prompts are made"},
      {"measure.prompts", planned, stages, "the name of the dataset"},
      {"measure.wake_lag_ms", hashed, stages, "a limit of valid measurements"},
      {"measure.send_lag_ms", hashed, stages, "a limit of valid measurements"},
      {"measure.client_cpu_share", hashed, stages, "a limit of valid measurements"},
      {"block", launched, measurements, "the set of prompts that it sends",
       "which only measurements have; remove it"},
      {"jobs", launched, batches, "the list of the jobs of its batch",
       "the job file of a batch; add 'batch: true' and 'job'"},
      {"index", planned, counted_parts, "the number of the part",
       "which counts in the parts of argv with 'times'; remove it", "", true},
      {"gpu:", placed, program, "a GPU that it holds, by number"},
      {"driver:", placed, program, "the path of a library of the GPU driver", "", "", true},
      {"variables:", started, program,
       "the names of its environment variables that begin with a prefix", "", "", true},
      // See plan/graph/containers.hpp.
      {"container:", launched, program, "a property of its container", "", "", true},
  });
}();

constexpr bool is_family(std::string_view name) { return name.ends_with(':'); }
// Whether SYMBOL is NAME or a member of that family.
constexpr bool is_of(std::string_view symbol, std::string_view name) {
  return is_family(name) ? symbol.starts_with(name) : symbol == name;
}

// The row of SYMBOL; null for names of parameters and unknown ones.
const KnownSymbol* find_known(std::string_view symbol);

// The path in the symbol file:PATH; nullopt for other symbols.
constexpr std::optional<std::string_view> file_of(std::string_view symbol) {
  constexpr std::string_view k_file = "file:";
  return symbol.starts_with(k_file) ? std::optional(symbol.substr(k_file.size())) : std::nullopt;
}

// How texts that are meant to be symbols of a manifest begin: "{file:", "{model." and so on.
std::vector<std::string> begins_of_symbols();

// Finds a symbol in TEXT that is filled in later, such as "{out}" or "{stage:build}". Values must
// not contain one.
std::optional<std::string> find_runner_symbol(std::string_view text);

// Gives the value of a symbol, or of the members of a family; MEMBER is the text after the ':'.
// nullopt: it is not known here, and stays for a later pass.
template <class Value, class Context> struct Provider {
  std::string_view name;
  std::optional<Value> (*value)(const Context& in, std::string_view member);
};

// The value of SYMBOL according to TABLE, an array of Provider; nullopt if it has none.
template <class Value, class Context, std::size_t N>
std::optional<Value> value_of(const Provider<Value, Context> (&table)[N], const Context& context,
                              std::string_view symbol) {
  for (const auto& one : table)
    if (is_of(symbol, one.name))
      return one.value(context, symbol.substr(std::min(symbol.size(), one.name.size())));
  return std::nullopt;
}

// Whether TABLE has all symbols that are known at one of WHEN.
template <class Table>
constexpr bool provides(const Table& table, std::initializer_list<Known> when) {
  return std::ranges::all_of(k_known_symbols, [&](const KnownSymbol& symbol) {
    return std::ranges::find(when, symbol.known) == when.end() ||
           std::ranges::any_of(table, [&](const auto& one) { return one.name == symbol.name; });
  });
}

}  // namespace orch::render
