#include "run/attempt/server_identity.hpp"

#include "core/base/digest.hpp"
#include "core/base/header.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace orch::attempt {

namespace {

using nlohmann::json;

constexpr double k_timeout_s = 10;
constexpr std::size_t k_longest_text = 200;     // of one value; a longer one counts by its digest
constexpr std::size_t k_longest_answer = 4000;  // likewise
constexpr std::size_t k_shown = 80;
constexpr int k_most_depth = 64;

// Times of the answer, and random ids, of the OpenAI protocol.
constexpr std::string_view k_always_without[] = {"created", "permission"};

std::string shortened(const std::string& text, std::size_t longest) {
  return text.size() <= longest ? text : fmt::format("sha256:{}", sha256(text).hex());
}

// VALUE without what changes by itself.
json lasting(const json& value, const std::vector<std::string>& without) {
  if (value.is_string()) return shortened(value.get<std::string>(), k_longest_text);
  if (value.is_array()) {
    json out = json::array();
    for (const json& item : value) out.push_back(lasting(item, without));
    return out;
  }
  if (!value.is_object()) return value;
  json out = json::object();
  for (const auto& [name, member] : value.items())
    if (std::ranges::find(without, name) == without.end()) out[name] = lasting(member, without);
  return out;
}

json answer_of(const system::HttpResponse& response, const IdentityQuestion& question) {
  if (response.status != 200) return fmt::format("status {}", response.status);
  const std::string body = question.redact ? question.redact(response.body) : response.body;
  const json parsed = parse_shallow<json>(body, k_most_depth).value;
  if (parsed.is_discarded()) return shortened(body, k_longest_text);
  std::vector<std::string> without = question.without;
  without.insert(without.end(), std::begin(k_always_without), std::end(k_always_without));
  const json kept = lasting(parsed, without);
  const std::string text = dump(kept, -1);
  return text.size() <= k_longest_answer ? kept : json(shortened(text, k_longest_answer));
}

// PATH: to VALUE and OTHER, which may differ.
std::string first_difference(const json& value, const json& other, const std::string& path) {
  if (value == other) return "";
  if (value.is_object() && other.is_object()) {
    for (const auto& [name, member] : value.items()) {
      const std::string here = path + (path.empty() ? "" : " ") + name;
      const auto now = other.find(name);
      if (now == other.end()) return fmt::format("{} is gone", here);
      if (auto found = first_difference(member, *now, here); !found.empty()) return found;
    }
    for (const auto& [name, member] : other.items())
      if (!value.contains(name)) return fmt::format("{} {} is new", path, name);
  }
  if (value.is_array() && other.is_array() && value.size() == other.size())
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto found = first_difference(value[i], other[i], path); !found.empty()) return found;
  return fmt::format("{} is {}, not {}", path, printable(dump(other, -1).substr(0, k_shown)),
                     printable(dump(value, -1).substr(0, k_shown)));
}

std::string remedy(const IdentityQuestion& question) {
  if (!question.authorization.empty())
    return "it does not accept the token of the variable that token_env names; export the right "
           "one";
  if (question.headers.empty())
    return "name the variable with its bearer token under service (token_env: NAME)";
  return fmt::format("it does not accept the value of the header {}; export the right one",
                     header_names(question.headers));
}

}  // namespace

Result<std::string> ask_identity(system::Http& http, const IdentityQuestion& question) {
  json answers = json::object();
  for (const std::string& url : question.urls) {
    auto response = http.send({.url = url,
                               .timeout_s = k_timeout_s,
                               .stop = question.stop,
                               .authorization = question.authorization,
                               .headers = question.headers});
    if (!response) {
      Error error = response.error();
      if (question.redact) error.message = question.redact(error.message);
      error.message = fmt::format("{} gives no answer: {}", url, error.message);
      return error;
    }
    if (response->status == 401 || response->status == 403)
      return invalid(fmt::format("{} answers {}: {}", url, response->status, remedy(question)));
    answers[url] = answer_of(*response, question);
  }
  return dump(answers, -1);
}

std::vector<std::string> listed_models(std::string_view says) {
  std::vector<std::string> models;
  const json answers = json::parse(says, nullptr, false);
  if (!answers.is_object()) return models;
  for (const auto& [url, answer] : answers.items()) {
    if (!url.ends_with("/v1/models") || !answer.is_object()) continue;
    const auto list = answer.find("data");
    if (list == answer.end() || !list->is_array()) continue;
    for (const json& model : *list)
      if (model.is_object() && model.contains("id") && model["id"].is_string())
        models.push_back(model["id"].get<std::string>());
  }
  return models;
}

// A server may take any name for its only model, and the figures would be said to be of another.
Status refuse_unlisted_model(const plan::Plan& plan, const plan::RunningService& service,
                             const std::string& says) {
  const auto models = listed_models(says);
  for (const plan::Stage& stage : plan.stages) {
    const plan::Spec& spec = stage.spec;
    if (models.empty() || !spec.server || spec.server->question != service.question || !spec.smoke)
      continue;
    for (const std::size_t p : stage.points) {
      const matrix::Value* name = plan.points[p].point.parameters.find("bench_model");
      if (!name || plan.points[p].status == plan::Status::reject ||
          spec.smoke->body.find('"' + name->text + '"') == std::string::npos ||
          std::ranges::find(models, name->text) != models.end() ||
          std::ranges::find(models, name->text + ":latest") != models.end())
        continue;
      return invalid(fmt::format("service: {} has no model {}{}; its /v1/models lists {}; set "
                                 "bench_model to one of them",
                                 service.server.url.text(), quoted(name->text),
                                 did_you_mean(name->text, models), one_of(models)),
                     service.server.where);
    }
  }
  return {};
}

std::string difference_of(const std::string& before, const std::string& now) {
  return first_difference(json::parse(before, nullptr, false), json::parse(now, nullptr, false),
                          "");
}

}  // namespace orch::attempt
