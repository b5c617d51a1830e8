#include "app/preflight/place.hpp"

#include "spec/render/symbols.hpp"

namespace orch::preflight {

std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string>& more) {
  constexpr std::string_view k_file = "file:";
  std::vector<std::string> argv;
  for (const std::string& word : words)
    argv.push_back(
        render::replace_symbols(word, [&](std::string_view symbol) -> std::optional<std::string> {
          if (symbol.starts_with(k_file))
            return place.layout.runner_file(symbol.substr(k_file.size()), runner);
          const auto value = more.find(std::string(symbol));
          return value == more.end() ? std::nullopt : std::optional(value->second);
        }));
  return argv;
}

}  // namespace orch::preflight
