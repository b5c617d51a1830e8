#include "app/preflight/machine_needs.hpp"
#include "app/preflight/preflight.hpp"
#include "app/session/identities/image_digests.hpp"
#include "core/base/text.hpp"
#include "os/system/run_to_end.hpp"

#include <array>

#include <unistd.h>

namespace orch::preflight {

namespace {

using container::Engine;
using Words = std::vector<std::string>;

// Enough for a large image that is read from disk for the first time.
constexpr double k_container_s = 180;
constexpr std::string_view k_mark = "orchestrate: ";
constexpr std::array<std::string_view, 4> k_kinds = {"has", "lacks", "later", "version"};
// A script that looks for each of its arguments as a program and as a file.
constexpr const char* k_search =
    "for word; do if command -v \"$word\" >/dev/null 2>&1 || [ -e \"$word\" ]; then kind=has; "
    "else kind=lacks; fi; printf 'orchestrate: %s\\t%s\\n' \"$kind\" \"$word\"; done";

bool has_daemon(Engine engine) { return engine == Engine::docker || engine == Engine::podman; }

bool is_image_file(const std::string& name) { return name.starts_with('/'); }

class ImageLook {
 public:
  ImageLook(Findings& findings, Findings& drivers, const Place& place, const ImageNeed& need)
      : findings_(findings),
        drivers_(drivers),
        place_(place),
        need_(need),
        engine_(need.settings.engine),
        command_(place.containers.command_of(engine_)) {}

  void look() {
    if (!need_.settings.built.empty())
      return add(Level::unknown, "is built by a stage; its contents are known after that");
    if (!place_.asking.find(command_.front()))
      return add(Level::unknown, "cannot be inspected without " + command_.front(),
                 doctor::how_to_install(std::string(to_string(engine_))));
    if (has_daemon(engine_)) return look_by_daemon();
    if (is_image_file(need_.name())) return search();
    look_in_registry(engine_ == Engine::cluster
                         ? "is fetched by the nodes; its contents are known after that"
                         : "is fetched by a stage; its contents are known after that");
  }

 private:
  void add(Level level, const std::string& what, const std::string& remedy = "") {
    findings_.add(level, need_.points, fmt::format("image {} {}", shown(), what), remedy);
  }
  std::string shown() const {
    return need_.settings.image.empty() ? need_.settings.built : need_.settings.image;
  }

  void look_by_daemon() {
    const doctor::Answer said = ask({"image", "inspect", "--format",
                                     "{{range .Config.Env}}{{println .}}{{end}}", need_.name()});
    if (said.ok) {
      note_driver(said.output);
      return search();
    }
    if (said.hangs || !session::says_absent(said.errors))
      return add(
          Level::missing,
          fmt::format("cannot be inspected: {} does not work: {}", command_.front(), said.reason),
          remedy_of_start(engine_, said.reason));
    look_in_registry("is not here; it can be inspected after it is pulled");
  }

  void look_in_registry(const std::string& what_is_unknown) {
    constexpr std::string_view k_scheme = "docker://";
    std::string name = need_.name();
    if (name.starts_with(k_scheme)) name = name.substr(k_scheme.size());
    const bool has_skopeo = place_.asking.find("skopeo").has_value();
    if (!has_skopeo && !has_daemon(engine_))
      return add(Level::unknown, "is in a registry that cannot be queried",
                 doctor::how_to_install("skopeo"));
    const doctor::Answer said =
        has_skopeo ? place_.asking.ask({"skopeo", "inspect", "--raw", std::string(k_scheme) + name})
                   : ask({"manifest", "inspect", name});
    if (!said.ok)
      return add(
          Level::missing,
          fmt::format("is not here, and its registry does not provide it: {}", said.reason),
          fmt::format("check the name, the network and the proxy; `{} login REGISTRY` if the "
                      "registry needs an account; or load the image from a file",
                      command_.front()));
    add(Level::unknown, what_is_unknown,
        has_daemon(engine_) ? "orchestrate doctor MATRIX --pull" : "");
  }

  void note_driver(const std::string& variables) {
    DriverNeed need;
    for (const std::string& line : split(variables, '\n')) {
      if (line.starts_with("NVIDIA_REQUIRE_CUDA=")) need.require = line.substr(line.find('=') + 1);
      if (line.starts_with("CUDA_VERSION=")) need.cuda = line.substr(line.find('=') + 1);
    }
    if (need_.gpus > 0)
      judge_driver(drivers_, need_.points, shown(), need, place_.experiment.machine.gpus);
  }

  void search() {
    Words names;
    for (const auto& [word, points] : need_.words) names.push_back(word);
    Words words = {"/bin/sh", "-c", k_search, "sh"};
    if (!need_.settings.probe.empty()) {
      words = filled(place_, need_.settings.probe, need_.runner);
      words.emplace_back("--");
    }
    words.insert(words.end(), names.begin(), names.end());
    const doctor::Answer said = run(words);
    const std::vector<Sight> sights = sights_in(said.output);
    if (sights.empty())
      return add(said.hangs ? Level::unknown : Level::missing,
                 fmt::format("cannot be inspected: {}",
                             said.ok ? "its search printed nothing" : said.reason),
                 remedy_of_start(engine_, said.reason));
    judge_sights(findings_, need_, sights);
    for (const Words& version : need_.versions) ask_version(version);
  }

  void ask_version(const Words& version) {
    const Words argv = filled(place_, version, need_.runner);
    const doctor::Answer said = run(argv);
    if (said.ok)
      return add(
          Level::ok,
          "has " + printable(system::last_line(said.output.empty() ? said.errors : said.output)));
    add(said.hangs ? Level::unknown : Level::missing,
        fmt::format("does not answer `{}`: {}", shell_quote(argv), said.reason),
        "an image with the program, or its right path in this one");
  }

  doctor::Answer ask(const Words& words) const {
    Words argv = command_;
    argv.insert(argv.end(), words.begin(), words.end());
    return place_.asking.ask(argv);
  }

  // Runs WORDS in a container set up like that of a stage, but without the folders of the store.
  doctor::Answer run(const Words& words) const {
    const auto settings = attempt::settings_here(need_.settings, place_.containers);
    const attempt::RunnerFolders folders = place_.layout.folders_of(need_.runner);
    static int number = 0;
    container::Start start{
        .engine = command_,
        .image = need_.name(),
        .name = fmt::format("orchestrate-preflight-{}-{}", ::getpid(), ++number),
        .mounts = container::without_inner(
            {{folders.runner, false},
             {folders.common.empty() ? place_.layout.runner_file("common/.", need_.runner)
                                     : folders.common,
              false}}),
        .work = "/",
        .set = {{"HOME", "/tmp"}, {"PYTHONDONTWRITEBYTECODE", "1"}},
        .user = attempt::user_option(settings, place_.containers)};
    if (start.user.starts_with('{')) start.user = attempt::own_user();
    for (container::Mount& mount : start.mounts)
      if (mount.path.ends_with('/')) mount.path.pop_back();
    if (place_.experiment.machine.gpus && need_.gpus > 0) start.gpus = {"all"};
    Words argv = container::words_of(settings, start);
    argv.insert(argv.end(), words.begin(), words.end());
    const doctor::Answer said =
        place_.asking.ask(argv, place_.asking.world().environment, k_container_s);
    if (const Words removal = container::removal_of(settings, start);
        said.hangs && !removal.empty())
      place_.asking.ask(removal);
    return said;
  }

  Findings& findings_;
  Findings& drivers_;
  const Place& place_;
  const ImageNeed& need_;
  const Engine engine_;
  const Words command_;
};

// Whether specifications of the Container Device Interface name NVIDIA devices.
bool has_cdi_devices(system::Files& files) {
  for (const std::string folder : {"/etc/cdi", "/var/run/cdi"})
    for (const std::string& name : files.names(folder).value_or({}))
      if (files.read(folder + "/" + name).value_or("").find("nvidia.com/gpu") != std::string::npos)
        return true;
  return false;
}

}  // namespace

std::vector<Sight> sights_in(std::string_view text) {
  std::vector<Sight> sights;
  for (const std::string& line : split(std::string(text), '\n')) {
    if (!line.starts_with(k_mark)) continue;
    auto fields = split(line.substr(k_mark.size()), '\t');
    const auto kind = std::ranges::find(k_kinds, fields.front());
    if (kind == k_kinds.end() || fields.size() < 2) continue;
    fields.resize(4);
    sights.push_back(
        {static_cast<Sight::Kind>(kind - k_kinds.begin()), fields[1], fields[2], fields[3]});
  }
  return sights;
}

void judge_sights(Findings& findings, const ImageNeed& need, const std::vector<Sight>& sights) {
  const std::string& image = need.settings.image;
  std::set<std::string> answered;
  std::size_t found = 0;
  for (const Sight& sight : sights) {
    answered.insert(sight.word);
    const auto asked = need.words.find(sight.word);
    const Points& points = asked == need.words.end() ? need.points : asked->second;
    switch (sight.kind) {
      case Sight::Kind::has: ++found; break;
      case Sight::Kind::version:
        findings.add(Level::ok, need.points,
                     fmt::format("image {} has {} {}", image, sight.word, sight.what));
        break;
      case Sight::Kind::later:
        findings.add(Level::unknown, points,
                     fmt::format("image {} has no {}{}", image, sight.word,
                                 sight.what.empty() ? "" : "; " + sight.what),
                     sight.remedy);
        break;
      case Sight::Kind::lacks:
        findings.add(Level::missing, points,
                     fmt::format("image {} has no {}{}", image, sight.word,
                                 sight.what.empty() ? "" : ": " + sight.what),
                     sight.remedy.empty()
                         ? "an image that has it, or the parameter that names its path in the image"
                         : sight.remedy);
    }
  }
  for (const auto& [word, points] : need.words)
    if (!answered.contains(word))
      findings.add(Level::unknown, points,
                   fmt::format("image {}: the search in it did not report {}", image, word));
  if (found > 0)
    findings.add(Level::ok, need.points,
                 fmt::format("image {} has {} of the {} programs and files that stages name", image,
                             found, need.words.size()));
}

std::string remedy_of_start(Engine engine, std::string_view said) {
  const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (says("nvidia.com/gpu"))
    return "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, again after each new driver";
  if (says("could not select device driver") || says("unknown or invalid runtime"))
    return doctor::how_to_install("nvidia-ctk") +
           "; nvidia-ctk runtime configure --runtime=docker, then restart docker";
  if (says("permission denied") || says("daemon"))
    return "start the daemon; usermod -aG docker $USER lets you use it";
  return fmt::format("{} info, and `{} run --rm IMAGE` by hand", to_string(engine),
                     to_string(engine));
}

void look_at_image(Findings& findings, Findings& drivers, const Place& place,
                   const ImageNeed& need) {
  ImageLook(findings, drivers, place, need).look();
}

void look_at_gpu_support(Findings& findings, const Place& place, const Needs& needs) {
  std::map<Engine, Points> users;
  for (const ImageNeed& need : needs.images)
    if (need.gpus > 0) users[need.settings.engine].insert(need.points.begin(), need.points.end());
  for (const auto& [engine, points] : users) {
    const Words command = place.containers.command_of(engine);
    if (!has_daemon(engine) || !place.asking.find(command.front())) continue;
    const bool has_cdi = has_cdi_devices(place.asking.world().files);
    if (engine == Engine::podman) {
      if (has_cdi) findings.add(Level::ok, points, "podman has a CDI specification of the GPUs");
      else
        findings.add(Level::missing, points, "podman has no CDI specification of the GPUs",
                     "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
      continue;
    }
    Words info = command;
    info.insert(info.end(),
                {"info", "--format", "{{range $name, $_ := .Runtimes}}{{$name}} {{end}}"});
    const doctor::Answer said = place.asking.ask(info);
    if (!said.ok)
      findings.add(Level::missing, points, fmt::format("docker does not work: {}", said.reason),
                   remedy_of_start(engine, said.reason));
    else if (said.output.find("nvidia") == std::string::npos && !has_cdi &&
             !place.asking.find("nvidia-container-runtime-hook"))
      findings.add(Level::missing, points,
                   "docker has neither NVIDIA's runtime nor a CDI specification of the GPUs",
                   remedy_of_start(engine, "could not select device driver"));
    else findings.add(Level::ok, points, "docker can give GPUs to containers");
  }
}

}  // namespace orch::preflight
