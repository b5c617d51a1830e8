#include "spec/matrix/matrix.hpp"

#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/name_rules.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

// TEXT without the user part, which may contain a password.
std::string without_user(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at == std::string_view::npos ? std::string(text) : fmt::format("***{}", text.substr(at));
}

bool is_host(std::string_view host) {
  const bool v6 = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (v6) host = host.substr(1, host.size() - 2);
  return !host.empty() && std::ranges::all_of(host, [&](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' || (v6 && c == ':');
  });
}

// Accepts nothing that a shell, a template or a log could misread.
bool is_path(std::string_view path) {
  constexpr std::string_view k_marks = "/-._~%:+,=";
  return std::ranges::all_of(path, [&](char c) {
    return is_letter_or_digit(c) || k_marks.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string ServerUrl::authority() const { return fmt::format("{}:{}", host, port); }

std::string ServerUrl::text() const { return fmt::format("{}://{}{}", scheme, authority(), path); }

Result<ServerUrl> parse_server_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("the URL '{}' {}; write http://HOST:PORT or https://HOST:PORT",
                               printable(without_user(text)), why));
  };
  ServerUrl url;
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return wrong("has no scheme");
  url.scheme = std::string(text.substr(0, scheme_end));
  if (url.scheme != "http" && url.scheme != "https" && url.scheme != "grpc" &&
      url.scheme != "grpcs")
    return wrong("has a scheme other than http, https, grpc and grpcs");
  std::string_view rest = text.substr(scheme_end + 3);
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  url.path = std::string(rest.substr(slash));
  std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos)
    return wrong("has a user name; put a token into a variable and name it with token_env");
  if (!is_path(url.path)) return wrong("has more than a path after its port");
  while (url.path.ends_with('/')) url.path.pop_back();
  // Users know the URL with /v1 from OpenAI clients. Here the paths of requests begin with /v1.
  constexpr std::string_view k_version = "/v1";
  if (url.path.ends_with(k_version)) url.path.resize(url.path.size() - k_version.size());
  const std::size_t colon =
      authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  url.port = url.tls() ? 443 : 80;
  if (colon != std::string_view::npos) {
    const auto port = to_integer(authority.substr(colon + 1));
    if (!port || *port < 1 || *port > keys::k_last_port)
      return wrong(
          fmt::format("has no port number between 1 and {} after its colon", keys::k_last_port));
    url.port = static_cast<int>(*port);
    authority = authority.substr(0, colon);
  }
  if (!is_host(authority)) return wrong("has no host name or address");
  url.host = std::string(authority);
  return url;
}

std::vector<std::string> secret_variables(const RunningServer& server) {
  std::vector<std::string> names;
  if (!server.token_env.empty()) names.push_back(server.token_env);
  for (const auto& [name, value] : server.headers)
    if (const auto variables = header_variables(name, value))
      names.insert(names.end(), variables->begin(), variables->end());
  return names;
}

std::optional<double> share_of_percent(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto percent = to_real(text);
  if (!percent || !(*percent > 0 && *percent < 100)) return {};
  return *percent / 100;
}

std::string Dataset::origin() const {
  return source.starts_with(k_hub_scheme)
             ? std::string(k_hub_datasets) + source.substr(k_hub_scheme.size())
             : source;
}

bool Dataset::is_fetched() const {
  return !source.starts_with(k_local_scheme) || !tokens.empty() || source.ends_with(".gz") ||
         source.ends_with(".zst");
}

std::vector<Settings> alternatives_of(const Matrix& matrix, std::string_view name) {
  std::vector<Settings> found;
  for (const Axis& axis : matrix.axes)
    if (axis.name == name)
      for (const AxisValue& value : axis.values) found.push_back(value.sets);
  if (!found.empty()) return found;
  const auto add = [&](const Settings& sets) {
    for (const auto& [set, value] : sets) {
      const auto same = [&text = value.text](const Settings& known) {
        return known.front().second.text == text;
      };
      if (set == name && std::ranges::none_of(found, same)) found.push_back({{set, value}});
    }
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& include : matrix.include) add(include.sets);
  return found;
}

std::vector<std::string> varied_parameters(const Matrix& matrix) {
  std::vector<std::string> names;
  auto add = [&](const Settings& sets) {
    for (const auto& [name, scalar] : sets)
      if (!contains(names, name)) names.push_back(name);
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& include : matrix.include) add(include.sets);
  return names;
}

Location place_of_setting(const Matrix& matrix, std::string_view name, std::string_view text) {
  const auto in = [&](const Settings& sets) -> const Yaml* {
    for (const auto& [set, value] : sets)
      if (set == name && value.text == text) return &value;
    return nullptr;
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values)
      if (const Yaml* found = in(value.sets)) return found->where;
  for (const Include& include : matrix.include)
    if (const Yaml* found = in(include.sets)) return found->where;
  for (const RunnerDefaults& own : matrix.runner_defaults)
    if (const Yaml* found = in(own.sets)) return found->where;
  const Yaml* found = in(matrix.defaults);
  return found ? found->where : matrix.runner_where;
}

}  // namespace orch::matrix
