// `resolve:` of runner.yaml: how moving names of models become identities.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/runner/forms.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

void check_scheme(const Yaml& key, ManifestReader& reader) {
  const bool good =
      std::ranges::all_of(key.text, [](char c) { return is_lower(c) || is_digit(c); });
  if (!good || key.text.empty())
    reader.fail(key.where,
                "{} is not a scheme; write the part before the ':' of a source, such as hf",
                quoted(key.text));
  else if (key.text == "local" || key.text == "generate")
    reader.fail(key.where, "'{}:' sources identify themselves and need no resolver; remove it",
                key.text);
}

Resolver read_resolver(const Yaml& scheme, const Yaml& node, const Manifest& manifest,
                       ManifestReader& reader) {
  Resolver resolver;
  resolver.scheme = scheme.text;
  resolver.where = scheme.where;
  check_scheme(scheme, reader);
  const std::string what = fmt::format("resolver {}", quoted(scheme.text));
  YamlMap map(node, keys::k_resolver, what, reader.errors());
  const Yaml* argv = map.require("argv");
  const SymbolCheck symbols(what, manifest, reader);
  for (auto [key, words] : {std::pair("argv", &resolver.argv), std::pair("reach", &resolver.reach)})
    for (const Yaml* word : reader.words(map, key, false)) {
      const auto why = words->empty() ? refuse_program(word->text) : std::nullopt;
      if (why) reader.fail(word->where, "the program {} {}", quoted(word->text), *why);
      symbols.check(*word);
      words->push_back(word->text);
    }
  if (argv && argv->is_list() && argv->items.empty())
    reader.fail(argv->where,
                "{} has nothing to run; write argv: [/usr/bin/python3, \"{{file:resolve.py}}\"]",
                what);
  read_inherited(map, "inherit", resolver.inherit, reader);
  resolver.timeout_s = map.take_seconds("timeout_s").value_or(resolver.timeout_s);
  map.finish();
  return resolver;
}

}  // namespace

void read_inherited(YamlMap& map, std::string_view key, std::vector<std::string>& names,
                    ManifestReader& reader) {
  for (const Yaml* name : reader.list(map, key)) {
    if (const auto why = refuse_inherited(name->text))
      reader.fail(name->where, "{} in '{}' {}", quoted(name->text), key, *why);
    else names.push_back(name->text);
  }
}

void read_resolvers(const Yaml& node, Manifest& manifest, ManifestReader& reader) {
  if (!node.is_map())
    return reader.fail(node.where, "'resolve' must be a map, not {}; write SCHEME: {{argv: [...]}}",
                       node.describe());
  if (reader.has_too_many(node, "resolve")) return;
  for (const auto& [key, value] : node.entries)
    manifest.resolvers.push_back(read_resolver(key, value, manifest, reader));
}

}  // namespace orch::runner
