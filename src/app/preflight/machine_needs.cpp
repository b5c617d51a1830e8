#include "app/preflight/machine_needs.hpp"

#include "app/session/host/host_facts.hpp"
#include "core/base/text.hpp"
#include "core/secret/redact.hpp"
#include "os/system/run_to_end.hpp"
#include "plan/forecast/cost.hpp"
#include "run/attempt/stage_environment.hpp"

namespace orch::preflight {

namespace {

constexpr double k_gib = 1024.0 * 1024 * 1024;
constexpr double k_driver_reserve_gib = 1;  // may appear as used on an idle GPU
constexpr double k_rounding = 0.95;         // drivers report a little less than a data sheet

// "12.4" for 12040.
std::string cuda_in_words(int cuda) { return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10); }

std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  for (const std::string& part : split(version, '.'))
    numbers.push_back(static_cast<int>(to_integer(part).value_or(0)));
  numbers.resize(3);
  return numbers;
}

// Whether GPUS meet CONDITION, such as "driver>=470", or "cuda>=12.4" for the CUDA version that the
// driver supports. Conditions with other names count as met: it is unknown here which cards they
// mean.
bool is_fulfilled(const std::string& condition, const system::Gpus& gpus) {
  const std::size_t at = condition.find_first_of("<>=!");
  if (at == std::string::npos) return true;
  const std::string name = condition.substr(0, at);
  if (name != "cuda" && name != "driver") return true;
  const std::size_t end = condition.find_first_not_of("<>=!", at);
  const std::string sign = condition.substr(at, end - at);
  const auto wanted = numbers_of(end == std::string::npos ? "" : condition.substr(end));
  const auto there = numbers_of(name == "cuda" ? cuda_in_words(gpus.cuda) : gpus.driver);
  if (sign == ">=") return there >= wanted;
  if (sign == ">") return there > wanted;
  if (sign == "<=") return there <= wanted;
  if (sign == "<") return there < wanted;
  return sign == "!=" ? there != wanted : there == wanted;
}

bool names_cards(const std::string& alternative) {
  return alternative.find("brand") != std::string::npos;
}

// The alternatives of REQUIRE that are met. Blanks separate alternatives; commas separate
// conditions that must all hold.
std::vector<std::string> fulfilled(const std::string& require, const system::Gpus& gpus) {
  std::vector<std::string> found;
  for (const std::string& alternative : split(require, ' ')) {
    const auto conditions = split(alternative, ',');
    if (!alternative.empty() && std::ranges::all_of(conditions, [&](const std::string& one) {
          return is_fulfilled(one, gpus);
        }))
      found.push_back(alternative);
  }
  return found;
}

// Bytes of "16g", "512m", "1GiB"; 0 if TEXT is not a size.
std::uint64_t bytes_of(const std::string& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const auto number = static_cast<std::uint64_t>(to_integer(text.substr(0, end)).value_or(0));
  const char unit = end < text.size() ? lower(text.substr(end, 1)).front() : 'b';
  const std::size_t power = std::string_view("bkmgt").find(unit);
  return power == std::string_view::npos ? 0 : number << (10 * power);
}

constexpr double k_version_s = 120;  // a large Python package takes half a minute to load
constexpr const char* k_python = "/usr/bin/python3";
// Fails for a Python that is too old for the runners' scripts.
constexpr const char* k_python_check =
    "import sys; sys.exit(0 if sys.version_info >= (3, 9) else "
    "'it is Python ' + '.'.join(map(str, sys.version_info[:3])) + ', and 3.9 is needed')";

std::string remedy_of_program(const std::string& program) {
  const std::string install = doctor::how_to_install(program);
  return install.empty() ? "install it, or add its folder to PATH" : install;
}

const session::UsedRunner* runner_of(const Place& place, const std::string& name) {
  const auto& runners = place.experiment.runners;
  const auto found =
      std::ranges::find_if(runners, [&](const auto& one) { return one.manifest.name == name; });
  return found == runners.end() ? nullptr : &*found;
}

// The error for a failed query SAID, whose last line has the form "WHY; REMEDY"; adds a remedy if
// it has none.
Error failure_of(const doctor::Answer& said, const secret::Secrets& secrets,
                 const SourceNeed& source) {
  std::string why = printable(secret::redacted(secrets, said.reason));
  if (why.find(source.source) == std::string::npos) why = source.source + ": " + why;
  if (why.find("; ") == std::string::npos) why += "; check the network, the proxy and HF_TOKEN";
  return unavailable(why);
}

}  // namespace

void judge_gpus(Findings& findings, const Needs& needs, const std::optional<system::Gpus>& gpus,
                const std::vector<system::GpuUse>& use) {
  if (needs.gpus.empty()) return;
  const int here = gpus ? gpus->count : 0;
  Points served;
  for (const auto& [count, points] : needs.gpus) {
    if (count <= here) {
      served.insert(points.begin(), points.end());
      continue;
    }
    findings.add(
        Level::missing, points,
        gpus ? fmt::format("a stage needs {}, but {} may be used here", plural(count, "GPU"), here)
             : fmt::format("a stage needs {}, but none was detected here", plural(count, "GPU")),
        gpus ? fmt::format("a machine with {}, smaller tp and pp, or --gpus with more",
                           plural(count, "GPU"))
             : "check `nvidia-smi -L` and the driver (libnvidia-ml.so.1), or run on the "
               "machine that has the GPUs");
  }
  if (!gpus) return;
  findings.add(
      Level::ok, served,
      fmt::format("{} x {}, {:.1f} GiB, driver {}{}", gpus->count, gpus->model, gpus->memory_gib,
                  gpus->driver, gpus->cuda ? ", CUDA " + cuda_in_words(gpus->cuda) : ""));
  for (const system::GpuUse& gpu : use) {
    if (gpu.used_gib <= k_driver_reserve_gib) continue;
    std::vector<std::string> pids;
    for (const int pid : gpu.pids) pids.push_back(std::to_string(pid));
    findings.add(
        Level::warning, served,
        fmt::format(
            "GPU {} has {:.1f} of {:.1f} GiB in use{}", gpu.index, gpu.used_gib, gpu.memory_gib,
            pids.empty() ? ", by no process visible from here" : " by process " + join(pids, ", ")),
        fmt::format("end it, leave GPU {} out with --gpus, or wait: stages wait until it "
                    "is free",
                    gpu.index));
  }
}

void judge_stated(Findings& findings, const Points& points, const matrix::StatedMachine& stated,
                  const system::Machine& machine) {
  Errors contradictions;
  session::refuse_other_machine(stated, machine, contradictions);
  for (const Error& error : contradictions) findings.add(Level::missing, points, error);
  const auto memory =
      std::ranges::find_if(stated, [](const auto& fact) { return fact.first == "gpu_memory_gib"; });
  if (memory == stated.end() || !machine.gpus) return;
  const double wanted = std::strtod(memory->second.text.c_str(), nullptr);
  if (machine.gpus->memory_gib < wanted * k_rounding)
    findings.add(Level::missing, points,
                 fmt::format("'gpu_memory_gib' is stated as {}, but the GPUs here have {:.1f}",
                             memory->second.text, machine.gpus->memory_gib),
                 "remove the statement, so that rules use what is here");
}

void judge_driver(Findings& findings, const Points& points, const std::string& name,
                  const DriverNeed& need, const std::optional<system::Gpus>& gpus) {
  if (!gpus || (need.require.empty() && need.cuda.empty())) return;
  if (gpus->cuda == 0)
    return findings.add(
        Level::unknown, points,
        fmt::format("image {}: the driver does not say which CUDA it supports", name),
        "nvidia-smi prints it as \"CUDA Version\"");
  const std::string there =
      fmt::format("driver {} supports CUDA {}", gpus->driver, cuda_in_words(gpus->cuda));
  const std::string remedy = "a newer driver, or an image for an older CUDA";
  if (need.require.empty()) {
    // Within a major version of CUDA, an older driver suffices.
    if (numbers_of(need.cuda).front() > gpus->cuda / 1000)
      findings.add(Level::missing, points,
                   fmt::format("image {} has CUDA {}, but {}", name, need.cuda, there), remedy);
    return;
  }
  const auto met = fulfilled(need.require, *gpus);
  if (met.empty())
    findings.add(Level::missing, points,
                 fmt::format("image {} requires {}, but {}", name,
                             need.require.substr(0, need.require.find(' ')), there),
                 remedy);
  else if (std::ranges::all_of(met, names_cards))
    findings.add(Level::warning, points,
                 fmt::format("image {} accepts driver {} for some cards only: {}", name,
                             gpus->driver, met.front()),
                 remedy);
}

DiskNeed disk_need_of(const plan::Plan& plan) {
  const forecast::Cost cost = forecast::cost_of_run(plan);
  DiskNeed need{.bytes = cost.bytes,
                .at_once = forecast::disk_of_run(plan).at_once,
                .without_bytes = cost.without_bytes};
  for (const plan::Stage& stage : plan.stages) {
    if (!is_to_run(stage)) continue;
    if (stage.status == plan::Status::undecided) ++need.undecided;
    const std::uint64_t bytes =
        std::max(stage.estimate.needed_bytes, stage.estimate.bytes.value_or(0));
    if (bytes > 0) need.stages.push_back({stage.id, bytes, points_of(plan, stage)});
  }
  return need;
}

namespace {

std::string written_text(const DiskNeed& need) {
  const std::string undecided = need.undecided ? fmt::format("{} stage{} undecided", need.undecided,
                                                             need.undecided == 1 ? " is" : "s are")
                                               : "";
  if (need.bytes == 0 && need.undecided) return "the amount to be written is unknown: " + undecided;
  if (need.bytes == 0 && need.without_bytes)
    return "the amount to be written is known after the first run";
  return fmt::format(
      "{}{} to be written{}{}", need.without_bytes || need.undecided ? "at least " : "",
      human_bytes(need.bytes),
      need.at_once < need.bytes ? fmt::format(", {} of it at once", human_bytes(need.at_once)) : "",
      need.undecided ? fmt::format(" ({})", undecided) : "");
}

// Reports stages each of which alone does not fit into FREE.
void judge_large(Findings& findings, const DiskNeed& need, std::uint64_t free,
                 const std::string& there, const char* remedy) {
  const DiskNeed::OfStage* largest = nullptr;
  std::size_t count = 0;
  Points points;
  for (const DiskNeed::OfStage& stage : need.stages) {
    if (stage.bytes <= free) continue;
    if (!largest || stage.bytes > largest->bytes) largest = &stage;
    ++count;
    points.insert(stage.points.begin(), stage.points.end());
  }
  if (!largest) return;
  const std::string stages =
      count == 1 ? fmt::format("stage {} writes {}", largest->id, human_bytes(largest->bytes))
                 : fmt::format("{} stages write up to {} each, such as {}", count,
                               human_bytes(largest->bytes), largest->id);
  findings.add(Level::missing, points, fmt::format("{}, but {}", stages, there), remedy);
}

}  // namespace

void judge_disk(Findings& findings, const Points& points, const DiskNeed& need,
                std::optional<std::uint64_t> free, const std::string& folder) {
  const std::string wanted = written_text(need);
  if (!free)
    return findings.add(
        Level::unknown, points,
        fmt::format("{}; the disk of the stated machine cannot be checked from here", wanted),
        "df -h there, in the folder that --store names");
  const std::string there = fmt::format("{} free at {}", human_bytes(*free), folder);
  const char* remedy =
      "orchestrate gc, --store DIR on a larger disk, fewer points (--where), or a smaller `keep` "
      "in the matrix";
  judge_large(findings, need, *free, there, remedy);
  if (need.at_once > *free)
    return findings.add(Level::missing, points, fmt::format("{}, but {}", wanted, there), remedy);
  const bool is_known = need.undecided == 0 && (need.bytes > 0 || need.without_bytes == 0);
  findings.add(is_known ? Level::ok : Level::unknown, points,
               fmt::format("{}{} {}", wanted, is_known ? "," : ";", there));
}

void judge_shared_memory(Findings& findings, const Needs& needs, std::uint64_t free) {
  for (const auto& [size, points] : needs.shared_memory) {
    const std::uint64_t wanted = bytes_of(size);
    if (wanted <= free) continue;
    findings.add(Level::warning, points,
                 fmt::format("/dev/shm has {} free, but processes that share work among GPUs need "
                             "{} there",
                             human_bytes(free), size),
                 "mount -o remount,size=" + size +
                     " /dev/shm, or start the container that this "
                     "runs in with --shm-size " +
                     size);
  }
}

void judge_ports(Findings& findings, const Needs& needs, const plan::PinnedPorts& pinned,
                 const std::set<int>& listening) {
  std::map<std::string, std::set<std::size_t>> by_name;  // http.1 and http.2 together
  for (const auto& [name, points] : needs.ports)
    by_name[name.substr(0, name.find('.'))].insert(points.begin(), points.end());
  for (const auto& [name, points] : by_name) {
    const auto numbers = pinned.find(name);
    if (numbers == pinned.end()) continue;
    for (const int port : numbers->second)
      if (listening.contains(port))
        findings.add(Level::missing, points, fmt::format("port {} ({}) is in use", port, name),
                     fmt::format("end what listens there (ss -ltnp 'sport = :{}'), or pin another "
                                 "number under `ports` of the matrix",
                                 port));
  }
}

void look_at_programs(Findings& findings, const Place& place, const Needs& needs) {
  // The nodes of a cluster may have other programs than this host.
  const Level lack =
      place.experiment.options.placement.shares_host ? Level::missing : Level::unknown;
  std::vector<std::string> found;
  Points served;
  for (const auto& [program, points] : needs.programs) {
    if (!place.asking.find(program)) {
      findings.add(lack, points, "no " + program, remedy_of_program(program));
      continue;
    }
    if (program == k_python) {
      const doctor::Answer said = place.asking.ask({program, "-c", k_python_check});
      if (!said.ok) {
        findings.add(
            lack, points, program + ": " + said.reason,
            "install a newer Python as " + program + ", or start from a system that has it");
        continue;
      }
    }
    found.push_back(program);
    served.insert(points.begin(), points.end());
  }
  if (!found.empty()) findings.add(Level::ok, served, join(found, ", "));
  for (const auto& [need, points] : needs.versions) {
    const auto argv = filled(place, need.argv, need.runner);
    const doctor::Answer said =
        place.asking.ask(argv, place.asking.world().environment, k_version_s);
    if (said.ok) continue;
    findings.add(said.hangs ? Level::unknown : lack, points,
                 fmt::format("`{}` does not answer: {}", shell_quote(argv), said.reason),
                 place.asking.find(argv.front()) ? "correct the path of the program in the matrix"
                                                 : remedy_of_program(argv.front()));
  }
}

void look_at_sources(Findings& findings, const Place& place, const Needs& needs) {
  const auto& environment = place.asking.world().environment;
  const secret::Secrets secrets(
      attempt::secrets_of(environment, session::secret_names(place.experiment)));
  for (const auto& [source, points] : needs.sources) {
    const session::UsedRunner* runner = runner_of(place, source.runner);
    const runner::Resolver* resolver =
        runner ? runner->manifest.resolver_of(source.source) : nullptr;
    if (!resolver || resolver->reach.empty()) {
      findings.add(
          Level::unknown, points,
          fmt::format("{}: runner '{}' has no command that tells whether it can be fetched",
                      source.source, source.runner),
          "`reach` in `resolve` of its manifest");
      continue;
    }
    const doctor::Answer said = place.asking.ask(
        filled(place, resolver->reach, source.runner,
               {{"model.source", source.source}, {"model.revision", source.revision}}),
        attempt::stage_environment(environment, resolver->inherit,
                                   {{"PYTHONDONTWRITEBYTECODE", "1"}}),
        resolver->timeout_s);
    if (said.ok)
      findings.add(Level::ok, points,
                   printable(secret::redacted(secrets, system::last_line(said.output))));
    else findings.add(Level::missing, points, failure_of(said, secrets, source));
  }
}

}  // namespace orch::preflight
