#include "run/attempt/stage_environment.hpp"

#include "core/base/text.hpp"
#include "core/secret/escapes.hpp"
#include "spec/container/container.hpp"

#include <algorithm>

namespace orch::attempt {

namespace {

bool matches_one(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return container::is_like(name, pattern); });
}

}  // namespace

Variables stage_environment(const Variables& inherited, const std::vector<std::string>& inherit,
                            const Variables& env) {
  static const std::vector<std::string> k_always = {"PATH",   "HOME", "USER",  "LANG",
                                                    "LC_ALL", "TZ",   "TMPDIR"};
  Variables out = env;
  // Python must not write into the folders of scripts, which may be installed.
  out.emplace("PYTHONDONTWRITEBYTECODE", "1");
  for (const auto& [name, value] : inherited)
    if (matches_one(name, k_always) || matches_one(name, inherit)) out.emplace(name, value);
  return out;
}

std::string temporary_folder(const Variables& inherited) {
  const auto chosen = inherited.find("TMPDIR");
  if (chosen == inherited.end() || !chosen->second.starts_with('/')) return "/tmp";
  return chosen->second.substr(0, chosen->second.find_last_not_of('/') + 1);
}

std::vector<std::string> secrets_of(const Variables& inherited,
                                    const std::vector<std::string>& named) {
  std::vector<std::string> values;
  for (const auto& [name, value] : inherited)
    if (secret::names_a_secret(name) || matches_one(name, named)) values.push_back(value);
  return values;
}

IdentityQuestion identity_question(const plan::RunningService& service,
                                   const Variables& environment) {
  IdentityQuestion question{.urls = service.asks, .without = service.without};
  if (const auto token = environment.find(service.server.token_env); token != environment.end())
    question.authorization = "Bearer " + std::string(trim(token->second));
  for (const auto& [name, value] : service.server.headers)
    if (auto line = header_line(name, value, environment))
      question.headers.push_back(std::move(*line));
  return question;
}

}  // namespace orch::attempt
