#include "app/session/identities/image_digests.hpp"

#include "app/session/host/host_inventory.hpp"
#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/run_to_end.hpp"
#include "run/attempt/stage_environment.hpp"

namespace orch::session {

namespace {

using container::Engine;

constexpr double k_inspect_s = 60;
constexpr double k_pull_s = 4 * 3600;  // images of inference servers have tens of gigabytes
constexpr double k_client_stop_s = 2;
// Texts that engines print for a missing image, in lower case.
constexpr std::string_view k_absent[] = {"no such image", "no such object", "image not known",
                                         "failed to find image"};

// REFERENCE without its tag or digest. A colon before the last '/' belongs to a port.
std::string_view repository_of(std::string_view reference) {
  reference = reference.substr(0, reference.find('@'));
  const std::size_t colon = reference.rfind(':'), slash = reference.rfind('/');
  const bool is_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return is_tag ? reference.substr(0, colon) : reference;
}

}  // namespace

bool says_absent(const std::string& errors) {
  const std::string text = lower(errors);
  return std::ranges::any_of(
      k_absent, [&](std::string_view words) { return text.find(words) != std::string::npos; });
}

std::string image_key(Engine engine, const std::string& reference) {
  return fmt::format("{} {}", to_string(engine), reference);
}

std::string pinned_reference(std::string_view text, std::string_view reference) {
  std::vector<std::string> words;
  for (const std::string& word : split(std::string(trim(text)), ' '))
    if (!word.empty()) words.push_back(word);
  if (words.empty()) return "";
  std::string any;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (container::digest_of(words[i]).empty()) continue;
    // Compares ends, because docker leaves out its own registry in names.
    const std::string_view repository = repository_of(words[i]), wanted = repository_of(reference);
    if (repository == wanted || repository.ends_with(fmt::format("/{}", wanted))) return words[i];
    if (any.empty()) any = words[i];
  }
  if (!any.empty()) return any;
  const std::string id = words[0].starts_with("sha256:") ? words[0] : "sha256:" + words[0];
  return container::digest_of(id);
}

ImageDigests::ImageDigests(const Context& context, store::Store& store)
    : context_(context),
      store_(store),
      host_(containers_here(context.experiment(), context.world.environment)) {}

Result<std::string> ImageDigests::run(const std::vector<std::string>& argv,
                                      double timeout_s) const {
  auto env = attempt::stage_environment(context_.world.environment, {}, {});
  for (const auto& [name, value] : attempt::client_variables(context_.world.environment))
    env.emplace(name, value);
  for (const char* name : {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy",
                           "no_proxy", "SSL_CERT_FILE"})
    if (const auto found = context_.world.environment.find(name);
        found != context_.world.environment.end())
      env.insert(*found);
  const auto ended =
      system::run_to_end(context_.world.processes, context_.world.clock,
                         {.argv = argv,
                          .env = env,
                          .timeout_s = timeout_s,
                          .stop_s = k_client_stop_s,
                          .is_cancelled = [this] { return context_.interrupts.count() > 0; }});
  if (!ended) return unavailable(ended.error().message);
  const system::CommandResult& ran = *ended;
  const std::string command = shell_quote(argv);
  if (ran.end == system::CommandResult::End::cancelled)
    return Error{ErrorKind::interrupted, "it was interrupted"};
  if (ran.end == system::CommandResult::End::timed_out)
    return unavailable(fmt::format("`{}` did not end within {:g} s", command, timeout_s));
  if (ran.code == 0) return ran.output;
  return Error{says_absent(ran.errors) ? ErrorKind::not_found : ErrorKind::unavailable,
               fmt::format("`{}`: {}", command, printable(ran.reason())),
               {}};
}

Result<std::string> ImageDigests::ask_daemon(Engine engine, const std::string& reference) const {
  const std::vector<std::string> command = host_.command_of(engine);
  std::vector<std::string> inspect = command, pull = command;
  inspect.insert(inspect.end(), {"image", "inspect", "--format",
                                 "{{.Id}}{{range .RepoDigests}} {{.}}{{end}}", reference});
  pull.insert(pull.end(), {"pull", reference});
  auto said = run(inspect, k_inspect_s);
  if (!said && said.error().kind == ErrorKind::not_found && context_.options.pull) {
    context_.reporter.report(Severity::info, fmt::format("image {} is not here; pulling it by {}",
                                                         reference, command.front()));
    ORCH_TRY(run(pull, k_pull_s));
    said = run(inspect, k_inspect_s);
  }
  if (!said) return said.error();
  const std::string pinned = pinned_reference(*said, reference);
  if (!pinned.empty()) return pinned;
  return unavailable(fmt::format("`{}` prints no digest", shell_quote(inspect)));
}

// Queries the registry, for engines that do not keep images by name.
Result<std::string> ImageDigests::ask_registry(Engine engine, const std::string& reference) const {
  constexpr std::string_view k_scheme = "docker://";
  const std::string name =
      reference.starts_with(k_scheme) ? reference.substr(k_scheme.size()) : reference;
  const std::string remedy = fmt::format("write {}@sha256:..., or the path of an image file",
                                         std::string(repository_of(name)));
  if (!system::find_program("skopeo", context_.world.environment))
    return unavailable(
        fmt::format("{} cannot tell which image a tag means, and skopeo, which can, is "
                    "not installed; {}, or install skopeo",
                    to_string(engine), remedy));
  const auto said = run(
      {"skopeo", "inspect", "--format", "{{.Digest}}", std::string(k_scheme) + name}, k_inspect_s);
  if (!said) return said.error().within(remedy);
  const std::string digest = container::digest_of(trim(*said));
  if (digest.empty())
    return unavailable(
        fmt::format("skopeo prints {} in place of a digest; {}", quoted(trim(*said)), remedy));
  return fmt::format("{}{}@{}", reference.starts_with(k_scheme) ? k_scheme : "",
                     repository_of(name), digest);
}

// Nodes import the image that the tag of REFERENCE names when a job starts. Resets KNOWN if the tag
// has moved to another image.
void ImageDigests::compare_with_registry(const std::string& reference,
                                         std::optional<std::string>& known) {
  if (!container::digest_of(reference).empty()) return;
  const auto now = ask_registry(Engine::cluster, reference);
  if (!now && now.error().kind == ErrorKind::interrupted) return;
  if (!now)
    return context_.reporter.report(
        Severity::warning, fmt::format("it is unknown whether {} is still {}: {}", reference,
                                       *known, now.error().message));
  if (*now == *known) return;
  failures_.push_back(invalid(fmt::format(
      "image {} was {} when this store resolved it, but is now {}, which nodes would import; "
      "--update takes the new image, and {} names the old one for Enroot 4 and later",
      reference, *known, *now, *known)));
  known.reset();
}

Result<std::optional<std::string>> ImageDigests::ask(Engine engine, const std::string& reference) {
  const std::string key = image_key(engine, reference);
  if (const auto asked = asked_.find(key); asked != asked_.end()) return asked->second;
  std::optional<std::string>& answer = asked_[key];
  ORCH_ASSIGN(const auto known, store_.resolution(k_image_resolution, key));
  if (known && !context_.options.update) {
    answer = known;
    if (engine == Engine::cluster) compare_with_registry(reference, answer);
    return answer;
  }
  const bool has_daemon = engine == Engine::docker || engine == Engine::podman;
  const auto now = has_daemon ? ask_daemon(engine, reference) : ask_registry(engine, reference);
  if (!now) {
    if (now.error().kind != ErrorKind::interrupted)
      failures_.push_back(now.error().within(fmt::format("image {} is unknown", reference)));
    return answer;
  }
  answer = *now;
  if (known == answer) return answer;
  ORCH_TRY(store_.put_resolution(k_image_resolution, key, *now, context_.world.clock.wall_s()));
  context_.reporter.report(
      Severity::info, fmt::format("image {}: {}{}", reference, known ? *known + " -> " : "", *now));
  return answer;
}

}  // namespace orch::session
