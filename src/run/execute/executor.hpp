// The executor runs processes for the scheduler: it starts launches, reports their ends in batches,
// ends their process trees, and finds launches that an earlier process started. Does not depend on
// stages, digests or the store.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "os/system/process.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::execute {

// The identity of a running launch, by which a later process can find it.

struct Handle {
  system::Tree tree;          // its token is the token of the launch
  std::string guardian = {};  // the name under which its guardian listens; "slurm": none
  system::ProcessId guardian_process = {};
};

// The form in which handles are recorded and sent.
constexpr auto fields_of(Tag<Handle>) {
  using system::Tree;
  return rows_of(required<&Handle::tree, &Tree::token>("token"),
                 required<&Handle::tree, &Tree::leader>("leader"),
                 required<&Handle::tree, &Tree::boot_id>("boot_id"),
                 required<&Handle::tree, &Tree::containment>("containment"),
                 required<&Handle::tree, &Tree::cgroup>("cgroup"),
                 required<&Handle::guardian>("guardian"),
                 required<&Handle::guardian_process>("guardian_process"));
}

// What a launch requires of an executor that chooses its node, as a cluster's does. The local
// executor ignores it: there, the caller assigns the resources.
struct Place {
  // The totals over all nodes; 0: not requested.
  int gpus = 0, cores = 0;
  double memory_gib = 0;
  int ranks = 1;             // processes that start together and share these resources
  int nodes = 1;             // the ranks are divided evenly among them
  std::string mpi = "pmix";  // srun --mpi; "mpirun": mpirun starts the ranks itself
  // srun and its options that start the ranks on several nodes in containers; empty: no container.
  std::vector<std::string> container = {};
  double seconds = 0;  // the longest time that the launch may take; 0: unknown
  double stop_s = 20, grace_s = 120;
  bool alone = false;  // no other launch may run on its node
  bool is_server = false;
  // The names of its ports, for {port:NAME} in the launch's texts; the node chooses the numbers.
  std::vector<std::string> ports = {};
  std::map<std::string, int> pinned = {};  // those of them whose numbers the matrix pins
  // Variables of `env` that come from the caller's host; the site's settings on the node may
  // replace or remove them.
  std::vector<std::string> inherited = {};
  // For a measurement: the token of the server beside which it runs, and the prefix of that
  // server's port names ("serve.").
  std::string within = {}, port_prefix = {};
};

constexpr auto fields_of(Tag<Place>) {
  return rows_of(field<&Place::gpus>("gpus"), field<&Place::cores>("cores"),
                 field<&Place::memory_gib>("memory_gib"), field<&Place::ranks>("ranks"),
                 field<&Place::nodes>("nodes"), field<&Place::mpi>("mpi"),
                 field<&Place::container>("container"), field<&Place::seconds>("seconds"),
                 field<&Place::stop_s>("stop_s"), field<&Place::grace_s>("grace_s"),
                 field<&Place::alone>("alone"), field<&Place::is_server>("is_server"),
                 field<&Place::ports>("ports"), field<&Place::pinned>("pinned"),
                 field<&Place::inherited>("inherited"), field<&Place::within>("within"),
                 field<&Place::port_prefix>("port_prefix"));
}

struct Launch {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // the whole environment; TMPDIR is added: see `tmp`
  std::string work;                        // working directory; must exist
  // File to which stdout and stderr are appended, with secrets redacted; "": the guardian's stdout.
  std::string log;
  std::string token;        // identifies the launch and marks every process of its tree
  std::string exit_record;  // path of its exit record, written once its tree has ended; "": none
  // A private folder for temporary files: created before the launch starts, removed once its tree
  // has ended. "": none.
  std::string tmp;
  // A private folder under /dev/shm for programs that ignore TMPDIR, or "". Treated like `tmp`.
  std::string shm_folder;
  // Files under /dev/shm whose names have this prefix are removed once the tree has ended; "":
  // none.
  std::string shm_prefix;
  std::vector<std::string> secrets;  // values that must not reach the log
  // Variables of `env` that are instead written to a private file in `tmp`, for a shell to read.
  std::vector<std::string> hidden = {};
  std::string hidden_file = {};
  // The tree's containment if the executor's default does not suit the program.
  std::optional<system::Containment> containment = {};
  std::vector<int> cpus = {};   // the CPUs to which its processes are restricted; empty: all
  std::vector<int> nodes = {};  // NUMA nodes for their memory; empty: any
  // Commands around the launch, and the path of the file that keeps the commands of `after`: see
  // exit_record.hpp.
  std::vector<std::vector<std::string>> before = {}, after = {};
  std::string undo = {};
  Place place = {};
  double stop_s = 10;  // between TERM and KILL if the guardian ends the launch on its own
};

// The form in which launches are sent to a guardian and to a job's agent. `containment` is sent
// separately.
constexpr auto fields_of(Tag<Launch>) {
  return rows_of(required<&Launch::argv>("argv"), required<&Launch::env>("env"),
                 required<&Launch::work>("work"), required<&Launch::log>("log"),
                 required<&Launch::token>("token"), required<&Launch::exit_record>("exit_record"),
                 required<&Launch::tmp>("tmp"), required<&Launch::shm_folder>("shm_folder"),
                 required<&Launch::shm_prefix>("shm_prefix"), required<&Launch::secrets>("secrets"),
                 field<&Launch::hidden>("hidden"), field<&Launch::hidden_file>("hidden_file"),
                 field<&Launch::cpus>("cpus"), field<&Launch::nodes>("nodes"),
                 field<&Launch::before>("before"), field<&Launch::after>("after"),
                 field<&Launch::undo>("undo"), field<&Launch::place>("place"),
                 required<&Launch::stop_s>("stop_s"));
}

// The variable that, if set, names a file that a measurement keeps replacing with one line about
// its progress.
inline constexpr const char* k_progress_variable = "ORCHESTRATE_PROGRESS";

// The variable with the SM clock in MHz at which the GPUs of a measurement's server are locked.
inline constexpr const char* k_gpu_clock_variable = "ORCHESTRATE_GPU_CLOCK";

// In commands around a launch that a cluster places, this argument stands for the GPUs of its job,
// by UUID if the driver reports them.
inline constexpr std::string_view k_gpus_of_job = "{gpus}";

// The exit status of a measurement that completed but whose record declares it invalid. To a user
// who starts it manually it is a failure; for an attempt the record decides.
inline constexpr int k_not_valid_status = 4;

// The end of a launch: its process tree has ended, and its temporary files and shared memory have
// been removed as far as possible.
struct Ended {
  std::string token;
  int code = -1;  // exit status of the leader; -1 if a signal ended it
  int signal = 0;
  double wall_s = 0;  // from spawn to the leader's exit, monotonic clock
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  bool oom_killed = false;     // the kernel's OOM killer was active while it ran
  bool guardian_lost = false;  // its guardian ended first; code and signal are unknown
  // The guardian ended it because no orchestrator attached within the grace period.
  bool abandoned = false;
  // The errno of the last failed write to its log, by which bytes were lost; 0: none were lost.
  int log_error = 0;
  // The first of its working directory, log and temporary folder whose file system was full when
  // the leader exited; "": none was.
  std::string full_disk = {};
  // For a launch placed by a cluster: why it could not be started ("": it was), the node on which
  // it ran, and its job.
  std::string refused = {}, node = {}, job = {};
  // Its agent received a stop signal that its orchestrator did not send.
  bool stopped_by_slurm = false;
  std::string job_state = {};  // the job's state as Slurm names it, if Slurm ended the job

  // Whether a measurement that ended like this is complete; its record says whether it is valid.
  bool has_measured() const { return code == 0 || code == k_not_valid_status; }
};

// The form of an end in exit records, messages, run records and the columns of the table `attempt`.
constexpr auto fields_of(Tag<Ended>) {
  auto code = field<&Ended::code>("exit_code", "exit_code", {}, Presence::sparse);
  code.get = [](const Ended& ended) {
    return ended.signal == 0 && ended.code >= 0 ? Value(std::int64_t{ended.code}) : Value();
  };
  code.old_key = "code";
  return rows_of(sparse<&Ended::token>("token", ""), code, sparse<&Ended::signal>("signal"),
                 required<&Ended::wall_s>("wall_s"), required<&Ended::cpu_s>("cpu_s"),
                 required<&Ended::max_rss_bytes>("max_rss_bytes"),
                 field<&Ended::oom_killed>("oom_killed"),
                 sparse<&Ended::guardian_lost>("guardian_lost", ""),
                 sparse<&Ended::abandoned>("abandoned", ""), sparse<&Ended::log_error>("log_error"),
                 sparse<&Ended::full_disk>("full_disk"), sparse<&Ended::refused>("refused", ""),
                 sparse<&Ended::node>("node"), sparse<&Ended::job>("job"),
                 sparse<&Ended::stopped_by_slurm>("stopped_by_slurm", ""),
                 sparse<&Ended::job_state>("job_state", ""));
}

// The outcome of recovering a launch that an earlier process started.
struct Recovered {
  enum class Fate {
    running,  // it was adopted: poll() will report its end
    ended,    // see `ended`
    held,     // another live orchestrator is attached to it; nothing was done
    lost,     // how it ended is unknown; none of its processes is left
  };
  Fate fate = Fate::lost;
  Handle handle = {};  // when running
  std::optional<Ended> ended = {};
  double for_s = 0;      // when running: seconds since its spawn
  std::string why = {};  // when lost or held: the reason
};

// What follows from where an executor runs launches, for the code that plans and starts them.
// Constant for an executor; the defaults are those of the local host.
struct Placement {
  // The caller divides GPUs, cores, disk and ports of this host among launches, and decides what
  // runs side by side. If false, the executor finds the resources for each launch (Launch::place),
  // and those of this host do not matter.
  bool shares_host = true;
  // Launches may wait in a queue, and servers count as jobs like tasks. The executor itself ends a
  // task that takes too long, because a task's time begins only when it leaves the queue.
  bool has_queue = false;
  // A measurement runs in the job of its server (Place::within), which no other launch joins.
  bool joins_server = false;
  // If every host that can access the store reaches all launches: the name recorded as the host of
  // their attempts. "": only this host reaches them.
  std::string_view reached_as = {};
};

// Used from one thread, unless a call says otherwise.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Placement placement() const { return {}; }
  // Starts LAUNCH. After an error none of its processes runs, and its private folders are removed.
  virtual Result<Handle> start(const Launch& launch) = 0;
  // Returns every launch that ended since the last call. Waits up to WAIT_S for the first one, or
  // until a signal or a wake() arrives. A launch that ended before the call is always included,
  // even if this process was suspended meanwhile.
  virtual std::vector<Ended> poll(double wait_s) = 0;
  // Ends the wait of the current poll(), or of the next one. Thread-safe.
  virtual void wake() = 0;
  // Sends TERM or KILL to the whole tree, without waiting for its end. An unknown token is not an
  // error.
  virtual void terminate(const std::string& token) = 0;
  virtual void kill(const std::string& token) = 0;
  // Whether the launch of TOKEN is pending in a cluster's queue: nothing of it runs, and it ends
  // immediately when terminated.
  virtual bool waits(const std::string& /*token*/) { return false; }
  // Called when the run is about to end and none of its launches is running any longer.
  virtual void leave() {}
  // Attaches to LAUNCH, which a dead process started, if it still runs, so that its grace period is
  // suspended until recover() decides. ON_RECORD is its recorded handle, if any. Needs only the
  // token and the paths of LAUNCH.
  virtual void hold(const Launch& launch, const std::optional<Handle>& on_record) = 0;
  // Finds out what happened to LAUNCH, which a dead process started. A launch that cannot be
  // adopted has ended on return, unless another orchestrator holds it. Parameters as for hold().
  virtual Recovered recover(const Launch& launch, const std::optional<Handle>& on_record) = 0;
  // Where a cluster has placed a launch, for display: "job 12_3 pending: Resources"; "" if it has
  // no job of its own.
  virtual std::string whereabouts(const std::string&) const { return {}; }
};

}  // namespace orch::execute
