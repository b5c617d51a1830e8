#include "app/preflight/preflight.hpp"

#include "app/doctor/this_machine.hpp"
#include "app/preflight/machine_needs.hpp"
#include "app/session/host/host_inventory.hpp"

namespace orch::preflight {

namespace {

constexpr double k_patience_s = 20;  // seconds to wait for one answer

class Preflight {
 public:
  explicit Preflight(const Looking& at)
      : at_(at),
        asking_(at.world, k_patience_s),
        place_{.asking = asking_,
               .experiment = at.experiment,
               .layout = at.layout,
               .plan = at.plan,
               .containers = session::containers_here(at.experiment, at.world.environment)},
        needs_(needs_of(at.plan, at.experiment)) {}

  std::vector<doctor::Section> look() {
    if (shares_host()) machine();
    else slurm();
    programs();
    images();
    sources();
    disk();
    points();
    std::erase_if(sections_, [](const auto& section) { return section.findings.empty(); });
    return std::move(sections_);
  }

 private:
  bool shares_host() const { return at_.experiment.options.placement.shares_host; }
  Findings findings(std::string heading) const { return {at_.plan, std::move(heading)}; }
  void keep(const Findings& findings) { sections_.push_back(findings.section()); }

  // The names of points that lack something.
  std::set<std::string> lacking() const {
    std::set<std::string> names;
    for (const doctor::Finding& one : lacks_of(sections_))
      names.insert(one.points.begin(), one.points.end());
    return names;
  }

  // Inserts the first section, with the status of the points according to the plan and the findings
  // of the other sections.
  void points() {
    const std::set<std::string> lack = lacking();
    Findings found = findings("points");
    std::map<std::pair<plan::Status, std::string>, Points> groups;
    for (std::size_t i = 0; i < at_.plan.points.size(); ++i)
      groups[{at_.plan.points[i].status, at_.plan.points[i].why}].insert(i);
    const bool none_is_left = std::ranges::all_of(
        groups, [](const auto& group) { return group.first.first == plan::Status::reject; });
    for (const auto& [group, points] : groups) {
      const auto& [status, why] = group;
      if (status == plan::Status::run) add_to_run(found, points, lack);
      else if (status == plan::Status::undecided) found.add(Level::unknown, points, why);
      else
        found.add(none_is_left ? Level::missing : Level::note, points,
                  fmt::format("{}: {}", to_string(status), why),
                  none_is_left ? "other values in the matrix: no point is left to run" : "");
    }
    sections_.insert(sections_.begin(), found.section());
  }

  // Points in LACK would not run. Others may still wait for identities that only a run looks up.
  void add_to_run(Findings& found, const Points& points, const std::set<std::string>& lack) const {
    for (const std::size_t i : points) {
      const plan::PlannedPoint& point = at_.plan.points[i];
      if (!point.waits.empty()) found.add(Level::unknown, {i}, point.waits);
      else if (!lack.contains(point.point.name)) found.add(Level::ok, {i}, "would run");
    }
  }

  void machine() {
    Findings gpus = findings("GPUs");
    if (needs_.gpus.empty()) return local_shares();
    judge_stated(gpus, needs_.points, at_.experiment.stated, at_.experiment.machine);
    std::vector<system::GpuUse> use;
    if (at_.world.open_gpu_memory)
      use = doctor::within<std::vector<system::GpuUse>>(
                k_patience_s, [open = at_.world.open_gpu_memory] { return open()->read(); })
                .value_or(std::vector<system::GpuUse>());
    if (at_.experiment.gpus.is_made())
      std::erase_if(use, [chosen = at_.experiment.gpus.indices()](const system::GpuUse& gpu) {
        return !chosen.contains(gpu.index);
      });
    judge_gpus(gpus, needs_, at_.experiment.machine.gpus, use);
    keep(gpus);
    local_shares();
  }

  // Examines what processes of this host share: memory and ports.
  void local_shares() {
    Findings shares = findings("shared memory and ports");
    if (const auto space = at_.world.files.free_space("/dev/shm"))
      judge_shared_memory(shares, needs_, space->bytes);
    judge_ports(shares, needs_, at_.plan.ports, doctor::listening_ports(at_.world.files));
    keep(shares);
  }

  void slurm() {
    Findings found = findings("Slurm");
    look_at_slurm(found, place_);
    keep(found);
  }

  void programs() {
    Findings found = findings("programs");
    for (const ImageNeed& image : needs_.images) {
      const auto command = place_.containers.command_of(image.settings.engine);
      needs_.programs[command.front()].insert(image.points.begin(), image.points.end());
    }
    look_at_programs(found, place_, needs_);
    keep(found);
  }

  void images() {
    Findings found = findings("images"), drivers = findings("driver and images");
    if (shares_host()) look_at_gpu_support(found, place_, needs_);
    for (const ImageNeed& image : needs_.images) look_at_image(found, drivers, place_, image);
    keep(found);
    keep(drivers);
  }

  void sources() {
    Findings found = findings("models and datasets");
    look_at_sources(found, place_, needs_);
    keep(found);
  }

  void disk() {
    Findings found = findings("disk");
    std::optional<std::uint64_t> free;
    if (!shares_host() || !at_.experiment.is_of_other_machine())
      if (const auto space = at_.world.files.free_space(doctor::existing_folder(at_.layout.store)))
        free = space->bytes;
    if (!needs_.points.empty())
      judge_disk(found, needs_.points, disk_need_of(at_.plan), free, at_.layout.store);
    keep(found);
  }

  const Looking& at_;
  const doctor::Asking asking_;
  const Place place_;
  Needs needs_;
  std::vector<doctor::Section> sections_;
};

}  // namespace

std::vector<doctor::Section> look(const Looking& at) { return Preflight(at).look(); }

std::vector<doctor::Finding> lacks_of(const std::vector<doctor::Section>& sections) {
  std::vector<doctor::Finding> lacks;
  for (const doctor::Section& section : sections)
    std::copy_if(section.findings.begin(), section.findings.end(), std::back_inserter(lacks),
                 [](const doctor::Finding& one) { return one.level == Level::missing; });
  return lacks;
}

bool needs_gpus(const plan::Plan& plan) {
  return std::ranges::any_of(plan.stages, [&](const plan::Stage& stage) {
    return stage.gpus > 0 && is_to_run(stage) && !points_of(plan, stage).empty();
  });
}

}  // namespace orch::preflight
