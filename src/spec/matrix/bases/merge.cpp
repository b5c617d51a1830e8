#include "spec/matrix/bases/merge.hpp"

#include "core/base/text.hpp"
#include "core/secret/token_shapes.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_most_bases = 16;
constexpr std::string_view k_preset = "preset:";

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

void merge(Yaml& base, Yaml&& own) {
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < base.entries.size(); ++i) places.emplace(base.entries[i].key.text, i);
  std::set<std::size_t> removed;
  for (auto& [key, value] : own.entries) {
    const auto place = places.find(key.text);
    if (place == places.end()) {
      value.idle = value.is_null();
      base.entries.push_back({std::move(key), std::move(value)});
      continue;
    }
    auto& [base_key, base_value] = base.entries[place->second];
    base_key = std::move(key);
    if (value.is_null() && base_value.is_null()) base_value.idle = true;
    else if (value.is_null()) removed.insert(place->second);
    else if (value.is_map() && base_value.is_map()) merge(base_value, std::move(value));
    else base_value = std::move(value);
  }
  std::size_t index = 0;
  std::erase_if(base.entries, [&](const auto&) { return removed.contains(index++); });
  base.where = own.where;
}

class Loader {
 public:
  Loader(const BaseFiles& files, Errors& errors) : files_(files), errors_(errors) {}

  std::optional<Merged> load(std::string_view text, const std::string& file) {
    chain_.push_back(std::filesystem::path(file).lexically_normal().string());
    auto root = read(text, file);
    if (!root) return std::nullopt;
    out_.root = std::move(*root);
    return std::move(out_);
  }

 private:
  std::optional<Yaml> read(std::string_view text, const std::string& file) {
    if (const auto secret = find_secret(text)) {
      fail({file, secret->line, secret->column},
           fmt::format("this looks like {}, and a matrix is stored with its results; take it out "
                       "and export it in the environment",
                       secret->kind));
      return std::nullopt;  // other messages might repeat the token
    }
    auto root = parse_yaml(text, file);
    if (!root) {
      errors_.push_back(root.error());
      return std::nullopt;
    }
    if (!root->is_map() && !root->is_null()) return std::move(*root);
    const auto named = std::ranges::find_if(
        root->entries, [](const auto& entry) { return entry.key.text == "base"; });
    if (named == root->entries.end()) return std::move(*root);
    const Yaml written = named->value;
    root->entries.erase(named);
    auto base = read_base_of(written, file);
    if (!base) {
      out_.complete = false;
      return std::move(*root);
    }
    merge(*base, std::move(*root));
    return base;
  }

  std::optional<Yaml> read_base_of(const Yaml& written, const std::string& file) {
    if (!written.is_scalar() || written.text.empty())
      return fail(
          written.where,
          fmt::format("'base' must be the path of a matrix file or preset:RUNNER/NAME, not {}",
                      written.describe()));
    const auto found = path_of(written, file);
    if (!found) return std::nullopt;
    const std::string& path = *found;
    chain_.push_back(path);
    const auto before = std::ranges::find(chain_, path);
    if (before != chain_.end() - 1)
      return fail(written.where,
                  fmt::format("base {} forms a cycle: {}; remove one of these 'base' keys",
                              quoted(written.text), fmt::join(before, chain_.end(), " -> ")));
    if (chain_.size() > k_most_bases + 1)
      return fail(
          written.where,
          fmt::format(
              "base {} is file {} of a chain of bases, but at most {} are read; merge some of them",
              quoted(written.text), chain_.size() - 1, k_most_bases));
    const auto text =
        files_.read ? files_.read(path) : Result<std::string>(invalid("files are not read here"));
    if (!text)
      return fail(written.where,
                  fmt::format("base {}: {}; correct the path, which is relative to this file",
                              quoted(written.text), text.error().message));
    out_.bases.push_back(path);
    auto root = read(*text, path);
    if (!root || root->is_map()) return root;
    if (!root->is_null())
      return fail(root->where, fmt::format("a matrix must be a map of keys and values, not {}",
                                           root->describe()));
    root->kind = Yaml::Kind::map;
    return root;
  }

  std::optional<std::string> path_of(const Yaml& written, const std::string& file) {
    if (!written.text.starts_with(k_preset)) return beside(file, written.text);
    const auto found = files_.find_preset
                           ? files_.find_preset(written.text.substr(k_preset.size()))
                           : Result<std::string>(invalid("presets are not looked up here"));
    if (found) return *found;
    return fail(written.where,
                fmt::format("base {}: {}", quoted(written.text), found.error().message));
  }

  std::nullopt_t fail(const Location& where, std::string message) {
    errors_.push_back(invalid(std::move(message), where));
    return std::nullopt;
  }

  const BaseFiles& files_;
  Errors& errors_;
  std::vector<std::string> chain_;  // files, each the base of the one before
  Merged out_;
};

}  // namespace

std::optional<Merged> merge_bases(std::string_view text, const std::string& file,
                                  const BaseFiles& files, Errors& errors) {
  return Loader(files, errors).load(text, file);
}

}  // namespace orch::matrix
