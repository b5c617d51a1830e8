#include "spec/matrix/name_rules.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/sql/expression_table.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

constexpr std::size_t k_longest_name = 64;

// Columns of the view `results` that are not parameters.
constexpr std::string_view k_view_columns[] = {"experiment", "run",   "point",
                                               "runner",     "valid", "reasons"};
// The suffix of a latency that counts from the scheduled send.
constexpr std::string_view k_intended = "intended";

bool is_free_form(std::string_view name) {
  return !name.empty() && name.size() <= k_longest_name && is_letter_or_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

// "; write 'max_len'" if lower case and underscores turn NAME into a valid name.
std::string remedy(std::string_view name) {
  std::string mended = lower(name.substr(0, k_longest_name));
  for (char& c : mended)
    if (!is_letter_or_digit(c)) c = '_';
  return is_column_name(mended) ? fmt::format("; write '{}'", mended) : "";
}

bool names_metric(std::string_view name) {
  const auto begins = [&](std::string_view metric) {
    if (!name.starts_with(metric)) return false;
    const std::string_view rest = name.substr(metric.size());
    if (rest.empty()) return true;
    return rest[0] == '_' &&
           (rest.substr(1) == k_intended || parse_name<Statistic>(rest.substr(1)).has_value());
  };
  return std::ranges::any_of(measure::metric_table(), begins, &measure::MetricRow::name) ||
         std::ranges::any_of(measure::derived_metrics(), begins, &measure::MetricRow::name);
}

}  // namespace

std::optional<std::string> refuse_column_name(std::string_view name) {
  if (!is_column_name(name))
    return fmt::format(
        "a name consists of a-z, 0-9 and _, begins with a letter and has at most {} characters{}",
        k_longest_name, remedy(name));
  if (sql::is_keyword(name)) return "this is a keyword of SQL; choose another name";
  if (names_metric(name)) return "this is the name of a metric; choose another name";
  if (contains(k_view_columns, name))
    return "the view of results has a column of this name; choose another name";
  return std::nullopt;
}

std::optional<std::string> refuse_free_name(std::string_view name) {
  if (is_free_form(name)) return std::nullopt;
  return fmt::format(
      "a name consists of letters, digits, '.', '_' and '-', begins with a letter or digit and has "
      "at most "
      "{} characters",
      k_longest_name);
}

std::vector<std::string> generated_shapes(std::string_view help) {
  const std::size_t at = help.find(k_generated_scheme);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = help.substr(at + k_generated_scheme.size());
  const auto end = std::ranges::find_if_not(
      rest, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '|'; });
  return split(rest.substr(0, static_cast<std::size_t>(end - rest.begin())), '|');
}

std::optional<std::string> local_source_path(std::string_view source) {
  if (!source.starts_with(k_local_scheme)) return std::nullopt;
  return std::string(source.substr(k_local_scheme.size()));
}

namespace {

constexpr std::size_t k_sha256 = 64;

// USER:PASSWORD@ before the host of an address; over HTTP also USER@, which may be a token.
bool has_credentials(std::string_view source) {
  const std::size_t begin = source.find("://");
  if (begin == std::string_view::npos) return false;
  const std::string_view scheme = source.substr(0, begin), rest = source.substr(begin + 3);
  const std::string_view host = rest.substr(0, rest.find('/'));
  const std::size_t user = host.rfind('@');
  if (user == std::string_view::npos) return false;
  return scheme.ends_with("http") || scheme.ends_with("https") ||
         host.substr(0, user).find(':') != std::string_view::npos;
}

}  // namespace

std::optional<std::string> refuse_model_source(std::string_view source, std::string_view revision) {
  constexpr std::string_view k_schemes[] = {k_hub_scheme, k_local_scheme, k_generated_scheme,
                                            k_git_scheme, k_url_scheme};
  if (std::ranges::none_of(k_schemes, [&](std::string_view scheme) {
        return source.starts_with(scheme) && source.size() > scheme.size();
      }))
    return "must be hf:OWNER/NAME, local:PATH, git:URL, url:ADDRESS or generate:SHAPE";
  const bool is_url = source.starts_with(k_url_scheme);
  if ((is_url || source.starts_with(k_git_scheme)) && has_credentials(source))
    return "has a password or a token in its address, which the store would keep; take it out. git "
           "asks its credential helper for it; url: works only for addresses that need none";
  if (is_url && !(revision.size() == k_sha256 && is_pinned(revision)))
    return fmt::format(
        "is an address whose content may change; write the sha256 of the file as "
        "its revision{}",
        revision.empty() ? "" : fmt::format(", not {}", quoted(revision)));
  return std::nullopt;
}

std::optional<std::string> refuse_dataset_source(std::string_view source,
                                                 std::string_view revision) {
  const bool is_url = source.starts_with(k_url_scheme);
  if (const auto path = local_source_path(source); path && !path->empty() && revision.empty())
    return std::nullopt;
  if (source.starts_with(k_local_scheme) && source.size() > k_local_scheme.size())
    return "is a file of this machine, which has no revision; take revision and sha256 out";
  if (!is_url && !(source.starts_with(k_hub_scheme) && source.size() > k_hub_scheme.size()))
    return "must be local:PATH, hf:OWNER/NAME or url:ADDRESS";
  if (is_url && !(revision.size() == k_sha256 && is_pinned(revision)))
    return fmt::format(
        "is an address whose content may change; write the sha256 of its file beside it, sha256: "
        "HEX{}",
        revision.empty() ? "" : fmt::format(", not {}", quoted(revision)));
  return refuse_model_source(source, revision);
}

bool is_pinned(std::string_view revision) {
  constexpr std::size_t k_sha1 = 40;
  return (revision.size() == k_sha1 || revision.size() == k_sha256) &&
         std::ranges::all_of(revision,
                             [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string mutable_revision(const std::string& source, const std::string& revision) {
  const bool by_git = source.starts_with(k_git_scheme);
  return source + "@" + (!revision.empty() ? revision : by_git ? "HEAD" : "main");
}

bool needs_resolving(std::string_view source, std::string_view revision) {
  return !source.starts_with(k_local_scheme) && !source.starts_with(k_generated_scheme) &&
         !is_pinned(revision);
}

}  // namespace orch::matrix
