#include "bench/protocol/server_kind.hpp"

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/wire/grpc_call.hpp"
#include "bench/wire/http_get.hpp"

namespace orch::protocol {
namespace {

using nlohmann::json;

constexpr int k_page_depth = 32;
constexpr std::size_t k_most_models = 10'000;
constexpr std::size_t k_shown_ids = 10;
constexpr const char* k_health_page = "/v2/health/ready";
constexpr const char* k_models_page = "/v1/models";
constexpr const char* k_server_live = "/inference.GRPCInferenceService/ServerLive";
constexpr const char* k_openai_names = "--protocol openai-chat or openai-completions";

// What the pages of a server answered.
struct ServerPages {
  std::string url;                  // without a path
  int health_status = 0;            // of Triton's page; 0: no answer
  int models_status = 0;            // of OpenAI's page
  std::vector<std::string> models;  // listed there
  bool lists_models = false;
  bool speaks_grpc = false;  // Triton's service; asked only if neither page answers

  bool is_triton() const { return health_status == 200; }
};

wire::Url page_url(const ServerQuery& query, std::string path) {
  wire::Url url = query.url;
  url.path = std::move(path);
  return url;
}

// The path before /v1 and the paths of OpenAI's endpoints.
std::string base_path(const wire::Url& url) {
  const std::string path = openai_path(url, "");
  return path.substr(0, path.rfind("/v1"));
}

ServerPages ask_pages(const ServerQuery& query) {
  const auto page_of = [&](std::string path) {
    return wire::http_page(page_url(query, std::move(path)), query.timeout_ms, query.access);
  };
  ServerPages pages;
  pages.url = page_url(query, "").text();
  if (const auto health = page_of(base_path(query.url) + k_health_page); health.ok())
    pages.health_status = health->status;
  if (const auto models = page_of(openai_path(query.url, "/models")); models.ok()) {
    pages.models_status = models->status;
    if (auto read = read_openai_models(models->body); models->status == 200 && read.ok()) {
      pages.models = std::move(*read);
      pages.lists_models = true;
    }
  }
  if (pages.health_status == 0 && pages.models_status == 0 && query.protocol != "triton-grpc")
    pages.speaks_grpc =
        wire::grpc_call(query.url, k_server_live, "", query.timeout_ms, query.access).ok();
  return pages;
}

std::string answer_of(int status) {
  return status == 0 ? "does not answer" : fmt::format("answers {}", status);
}

std::string explain_to_triton(const ServerQuery& query, const ServerPages& pages) {
  if (pages.speaks_grpc)
    return fmt::format(
        "{} is the gRPC port of a Triton server; use --protocol triton-grpc, or its port of HTTP",
        pages.url);
  if (pages.is_triton())
    return query.protocol == "triton-grpc"
               ? fmt::format(
                     "{} is the HTTP port of a Triton server; use --protocol triton-http "
                     "with http://, or its port of gRPC",
                     pages.url)
               : "";
  if (!pages.lists_models) return "";
  return fmt::format("no Triton at {}: {} {}, but {} answers; use {}", pages.url, k_health_page,
                     answer_of(pages.health_status), k_models_page, k_openai_names);
}

std::string explain_to_openai(const ServerQuery& query, const ServerPages& pages) {
  if (pages.speaks_grpc)
    return fmt::format(
        "no OpenAI server at {}: it is the gRPC port of a Triton server; use --protocol "
        "triton-grpc",
        pages.url);
  constexpr int k_ok = 200;  // with another page: any path is answered, which shows nothing
  if (!pages.lists_models)
    return pages.is_triton() && pages.models_status != k_ok
               ? fmt::format(
                     "no OpenAI server at {}: {} {}, but {} answers; use --protocol "
                     "triton-http",
                     pages.url, k_models_page, answer_of(pages.models_status), k_health_page)
               : "";
  const std::vector<std::string>& models = pages.models;
  if (models.empty() || std::ranges::find(models, query.model) != models.end()) return "";
  const std::size_t shown = std::min(models.size(), k_shown_ids);
  return fmt::format(
      "{} has no model {}; its models are: {}{}{}", pages.url, quoted(query.model),
      join(std::span(models).first(shown), ", "),
      shown < models.size() ? fmt::format(" and {} more", models.size() - shown) : "",
      did_you_mean(query.model, models));
}

}  // namespace

std::string explain_refusal(const ServerQuery& query) {
  const ServerPages pages = ask_pages(query);
  return is_triton(query.protocol) ? explain_to_triton(query, pages)
                                   : explain_to_openai(query, pages);
}

Result<std::vector<std::string>> read_openai_models(std::string_view text) {
  const json page = parse_shallow<json>(text, k_page_depth).value;
  if (!page.is_object() || !page.contains("data") || !page["data"].is_array() ||
      page["data"].size() > k_most_models)
    return invalid("the page does not list models");
  std::vector<std::string> models;
  for (const json& model : page["data"])
    if (model.is_object() && model.contains("id") && model["id"].is_string())
      models.push_back(printable(model["id"].get<std::string>()));
  return models;
}

}  // namespace orch::protocol
