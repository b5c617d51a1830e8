#include "spec/keys/site_keys.hpp"

#include "spec/keys/key_forms.hpp"
#include "spec/keys/matrix_keys.hpp"

namespace orch::keys {

namespace {

using Kind = Form::Kind;

constexpr Form k_price{.kind = Kind::number, .least = 0, .most = 1e9};
constexpr Form k_weight{.kind = Kind::number, .least = 0.001, .most = 1e6};
constexpr Form k_port_number{.kind = Kind::integer, .least = 1, .most = 65535};
constexpr Form k_grace{.kind = Kind::number, .least = 0, .most = 86400};
constexpr std::string_view k_containments[] = {"auto", "cgroup", "pid-namespace", "session"};
constexpr Form k_containment{.choices = k_containments};
constexpr Form k_gpu_ids{.kind = Kind::list, .of = &k_word, .least = 1};
constexpr Form k_token_count{.kind = Kind::integer, .least = 0, .most = 1'000'000};
constexpr Form k_token_counts{.kind = Kind::names, .of = &k_token_count, .least = 1};
constexpr Form k_prices_form{.kind = Kind::keys, .keys = &k_prices};
constexpr std::string_view k_engines[] = {"docker", "podman", "apptainer", "cluster"};
constexpr Form k_engine{.choices = k_engines};
constexpr Form k_minutes{.kind = Kind::integer, .least = 1, .most = 525'600};
constexpr Form k_most_jobs{.kind = Kind::integer, .least = 1, .most = 100'000};
constexpr Form k_cpus{.kind = Kind::integer, .least = 0, .most = 1'000'000};
constexpr Form k_memory{.kind = Kind::number, .least = 0, .most = 1e6};
constexpr Form k_site_resources_form{.kind = Kind::keys, .keys = &k_site_resources};
constexpr Form k_resources_by_name{.kind = Kind::names, .of = &k_site_resources_form};
constexpr Form k_site_slurm_form{.kind = Kind::keys, .keys = &k_site_slurm};
constexpr Form k_silent{.kind = Kind::number, .least = 1, .most = 3600};
constexpr Form k_site_store_form{.kind = Kind::keys, .keys = &k_site_store};
constexpr Form k_site_container_form{.kind = Kind::keys, .keys = &k_site_container};
constexpr Form k_ports_form{.kind = Kind::keys, .keys = &k_ports};

constexpr Key k_site_keys[] = {
    {"machine", &k_stated_machine, "facts of this machine that replace detected ones"},
    {"prices", &k_prices_form, "what an hour costs; plan then prints the cost of a sweep"},
    {"ports", &k_ports_form, "ports that servers may use (20000 to 29999)"},
    {"bind", &k_word,
     "the IPv4 address on which servers listen (127.0.0.1); anyone who reaches another one can use "
     "them"},
    {"gpu_ids", &k_gpu_ids,
     "the GPUs that may be used, by index or UUID: [4, 5] (all); --gpus replaces them"},
    {"container", &k_site_container_form, "how containers are started here"},
    {"slurm", &k_site_slurm_form, "how stages become jobs with `run --executor slurm`"},
    {"store", &k_site_store_form, "the results folder, where several hosts use it"},
    {"nvidia_smi", &k_words,
     "the command that locks and restores the clocks of GPUs for measure.gpu_clock_mhz: [sudo, -n, "
     "nvidia-smi] ([nvidia-smi])"},
    {"tokens", &k_token_counts,
     "how many there are of what stages name under resources.tokens: {licence: 2} (1 of each)"},
    {"runners", &k_word,
     "a folder of runners (NAME/runner.yaml), relative to this file; searched after those of the "
     "matrix and of the working folder"},
    {"grace_s", &k_grace,
     "seconds for which running stages go on after orchestrate has died, so that the next one can "
     "adopt them; under Slurm: for which an idle server keeps its allocation (120)"},
    {"containment", &k_containment,
     "what holds the processes of a stage together; auto takes the strongest that works here "
     "(auto)"},
};

constexpr Key k_site_container_keys[] = {
    {"engine", &k_engine, "that of containers whose runner names none (docker)"},
    {"command", &k_words, "how it is called: [sudo, -n, docker] (its name)"},
    {"options", &k_words, "words behind its `run` or `exec`: [--userns, keep-id]"},
    {"rootless", &k_boolean,
     "true: the root of a container is the user who runs orchestrate (found out)"},
};

constexpr Key k_site_slurm_keys[] = {
    {"account", &k_word, "sbatch --account"},
    {"partition", &k_word, "sbatch --partition"},
    {"qos", &k_word, "sbatch --qos"},
    {"gres", &k_word, "name of GPUs in --gres, such as gpu:h100 (gpu)"},
    {"mpi", &k_word,
     "srun --mpi for the ranks of servers, such as pmix_v4; mpirun: it starts them itself, in the "
     "allocation (pmix)"},
    {"options", &k_words, "further words of sbatch: [--constraint=nvlink]"},
    {"modules", &k_words, "environment modules that each job loads"},
    {"lines", &k_words, "further lines of the job's shell script, ahead of what it runs"},
    {"resources", &k_resources_by_name,
     "what jobs request in place of what their stages state: {convert: {memory_gib: 500}}, by the "
     "name of a stage, or for all others by its kind, task or service"},
    {"server_minutes", &k_minutes, "time limit of a server with its measurements (240)"},
    {"most_jobs", &k_most_jobs, "jobs in the queue at one time (1000)"},
    {"most_in_array", &k_most_jobs,
     "jobs of one array; the cluster's MaxArraySize is one more (1000)"},
};

constexpr Key k_site_resources_keys[] = {
    {"cpus", &k_cpus,
     "--cpus-per-task, in all; of a service with its measurements. 0: the cluster's default"},
    {"memory_gib", &k_memory, "--mem, on all nodes together. 0: the cluster's default"},
};

constexpr Key k_site_store_keys[] = {
    {"shared", &k_boolean,
     "true: other hosts use it, too, although its file system looks local (found out)"},
    {"silent_s", &k_silent,
     "seconds without a sign of life after which a run on another host counts as dead (30)"},
};

constexpr Key k_prices_keys[] = {
    {"gpu_hour", &k_price, "one GPU, while a stage holds it"},
    {"machine_hour", &k_price, "one machine, while anything runs"},
    {"currency", &k_word, "name of the currency, for printing"},
    {"output_token_weight", &k_weight,
     "how many input tokens an output token costs as much as, for `best --per cost`; without it, "
     "output tokens carry the whole price"},
};

constexpr Key k_ports_keys[] = {
    {"first", &k_port_number, "first port of the range"},
    {"last", &k_port_number, "last port of the range"},
};

constexpr Key k_machine_file_keys[] = {
    {"machine", &k_stated_machine, "facts of the machine"},
};

}  // namespace

const KeyTable k_site{"site", "The site file: what belongs to a place and not to an experiment.",
                      k_site_keys};
const KeyTable k_site_container{"site_container", "How containers are started.",
                                k_site_container_keys};
const KeyTable k_site_slurm{"site_slurm", "Jobs of a Slurm cluster.", k_site_slurm_keys};
const KeyTable k_site_resources{"site_resources", "What the jobs of a stage request.",
                                k_site_resources_keys};
const KeyTable k_site_store{"site_store", "A results folder that several hosts use.",
                            k_site_store_keys};
const KeyTable k_prices{"prices", "What an hour costs.", k_prices_keys};
const KeyTable k_ports{"ports", "Ports that servers may use.", k_ports_keys};
const KeyTable k_machine_file{"machine_file", "The file of --machine.", k_machine_file_keys};

}  // namespace orch::keys
