#include "run/slurm/node_fitter.hpp"

#include "core/base/text.hpp"
#include "os/system/gpus.hpp"
#include "os/system/nvml/nvml.hpp"
#include "spec/container/container.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

#include <filesystem>
#include <iterator>

namespace orch::slurm {

namespace {

bool is_of_mpi(const std::string& name) {
  return name.starts_with("PMI") || name.starts_with("OMPI_");
}

// Lets a rank in an apptainer container reach PMIx; without apptainer, the variables have no
// effect.
void enter_apptainer(const std::map<std::string, std::string>& environment,
                     execute::Launch& launch) {
  for (const auto& [name, value] : environment)
    if (name.starts_with("SLURM") || is_of_mpi(name)) launch.env["APPTAINERENV_" + name] = value;
  if (const std::string folder = job_variable(environment, "PMIX_SERVER_TMPDIR"); !folder.empty()) {
    std::string& bind = launch.env["APPTAINER_BIND"];
    bind += (bind.empty() ? "" : ",") + folder;
  }
}

}  // namespace

// Leases the ports of LAUNCH on this node.
Status NodeFitter::lease(const execute::Launch& launch) {
  const execute::Place& place = launch.place;
  if (place.ports.empty()) return {};
  ORCH_ASSIGN(auto leases, system::lease_named(host_.ports, place.ports, place.pinned));
  for (std::size_t i = 0; i < leases.size(); ++i) ports_.emplace(place.ports[i], leases[i].port());
  std::move(leases.begin(), leases.end(), std::back_inserter(leases_));
  return {};
}

// The number that this node gives to the job's GPU N; N itself if Slurm does not report it.
std::string NodeFitter::gpu_of_job(std::string_view n) const {
  const auto at = to_integer(n);
  const auto all = split(variable("SLURM_JOB_GPUS"), ',');
  return at && *at >= 0 && static_cast<std::size_t>(*at) < all.size() && !all.front().empty()
             ? all[static_cast<std::size_t>(*at)]
             : std::string(n);
}

std::string NodeFitter::with_numbers(std::string_view text, const std::string& prefix) const {
  using Text = std::optional<std::string>;
  struct Context {
    const NodeFitter& node;
    const std::string& prefix;
  };
  using In = const Context&;
  static constexpr render::Provider<std::string, Context> k_provided[] = {
      {container::k_held_gpu,
       [](In in, std::string_view n) { return Text(in.node.gpu_of_job(n)); }},
      {container::k_driver,
       [](In, std::string_view name) { return Text(system::library_of_driver(name)); }},
      {"port:",
       [](In in, std::string_view port) {
         if (port.starts_with(in.prefix)) port.remove_prefix(in.prefix.size());
         const auto found = in.node.ports_.find(std::string(port));
         return found == in.node.ports_.end() ? Text() : Text(std::to_string(found->second));
       }},
  };
  static_assert(render::provides(k_provided, {render::Known::placed}));
  return render::replace_symbols(text, [&](std::string_view name) {
    return render::value_of(k_provided, Context{*this, prefix}, name);
  });
}

// The GPUs of this job, by UUID if possible: numbers may be relative to the job, and the commands
// that undo changes may run in a later job.
Result<std::string> NodeFitter::gpus_of_job() const {
  std::string names = variable("CUDA_VISIBLE_DEVICES");
  if (names.empty()) names = variable("SLURM_JOB_GPUS");
  if (names.empty())
    return Error{
        ErrorKind::not_found,
        "cannot lock GPU clocks: neither CUDA_VISIBLE_DEVICES nor SLURM_JOB_GPUS names a GPU of "
        "this job"};
  const auto all = system::detect_gpus();
  const auto own =
      all ? system::part_of(*all, split(names, ',')) : Result<system::Gpus>(system::Gpus());
  if (!own || own->each.empty()) return names;
  std::vector<std::string> uuids;
  for (const system::Gpu& gpu : own->each) uuids.push_back(gpu.uuid);
  return join(uuids, ",");
}

Status NodeFitter::fill_in(execute::Launch& launch) const {
  const std::string& prefix = launch.place.port_prefix;
  for (std::string& word : launch.argv) word = with_numbers(word, prefix);
  for (auto& [name, value] : launch.env) value = with_numbers(value, prefix);
  for (auto* commands : {&launch.before, &launch.after})
    for (std::vector<std::string>& command : *commands)
      for (std::string& word : command)
        if (word == execute::k_gpus_of_job) {
          ORCH_ASSIGN(word, gpus_of_job());
        }
  return {};
}

// Adds the site's variables, and those of Slurm for this job. A stage that holds no GPU, such as a
// measurement beside its server, does not get CUDA_VISIBLE_DEVICES from the job.
void NodeFitter::add_variables(execute::Launch& launch) const {
  give_variables(host_.site, launch);
  for (const auto& [name, value] : host_.environment)
    if (name.starts_with("SLURM") || name == "SRUN_CPUS_PER_TASK" ||
        (name == container::k_visible_gpus && launch.place.gpus > 0) ||
        name == "GPU_DEVICE_ORDINAL" || (is_rank_ && is_of_mpi(name)))
      launch.env[name] = value;
  if (is_rank_) enter_apptainer(host_.environment, launch);
}

// Divides the server ASKED among the nodes of this job; ASKED then becomes the starter of its
// ranks.
Result<NodeFitter::Division> NodeFitter::divide(AgentFiles::Asked& asked) {
  Division division;
  if (asked.launch.place.nodes <= 1) return division;
  std::error_code code;
  const ServerRanks::With with = {
      .files = host_.host.files,
      .folder = files_.attempt(token_),
      .program = std::filesystem::read_symlink("/proc/self/exe", code).string(),
      .environment = host_.environment};
  asked.containment = system::Containment::session;
  node_ = variable("SLURM_JOB_NODELIST");
  if (!asked.launch.place.container.empty()) {
    ORCH_ASSIGN(asked.launch, contained_ranks(with, asked.launch));
    return division;
  }
  ORCH_ASSIGN(ServerRanks ranks, ServerRanks::divide(with, asked.launch));
  ORCH_ASSIGN(division.keepers, execute::GuardianLaunch::spawn(host_.host, ranks.keepers(),
                                                               system::Containment::session));
  asked.launch = ranks.starter();
  division.ranks.emplace(std::move(ranks));
  return division;
}

Result<NodeFitter::Division> NodeFitter::fit(AgentFiles::Asked& asked) {
  ORCH_TRY(lease(asked.launch));
  use_folders_of_node(host_.host.files, asked.launch);
  ORCH_TRY(fill_in(asked.launch));
  ORCH_ASSIGN(Division division, divide(asked));
  add_variables(asked.launch);
  host_.remains.keep(asked.launch);
  ORCH_TRY(files_.write_remains(asked.launch));
  return division;
}

Started NodeFitter::place() const {
  return {.node = node_.empty() ? variable("SLURMD_NODENAME") : node_,
          .job = variable("SLURM_JOB_ID"),
          .ports = ports_};
}

}  // namespace orch::slurm
