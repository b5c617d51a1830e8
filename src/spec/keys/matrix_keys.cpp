#include "spec/keys/matrix_keys.hpp"

#include "os/system/process.hpp"
#include "spec/keys/key_forms.hpp"

namespace orch::keys {

namespace {

using Kind = Form::Kind;

constexpr Form k_count_of_repeats{.kind = Kind::integer, .least = 1, .most = 1000};
constexpr Form k_count_of_points{.kind = Kind::integer, .least = 1, .most = 100'000'000};
constexpr Form k_most_sessions{.kind = Kind::integer, .least = 2, .most = 100};
constexpr Form k_clock{.kind = Kind::integer, .least = 1, .most = 10'000};
constexpr Form k_checks{.kind = Kind::integer, .least = 0, .most = 1000};
constexpr Form k_isolation{.choices = k_isolations};
constexpr Form k_seed{.kind = Kind::integer, .least = 0};
constexpr Form k_limit{.kind = Kind::number, .least = 0, .above = true};
constexpr Form k_prompts{.noun = "synthetic or the name of a dataset"};
constexpr Form k_column{.least = 1, .noun = "a column of results, such as output_tps"};
constexpr Form k_program{.kind = Kind::path, .least = 1, .noun = "the path of a program"};

constexpr Form k_texts{.kind = Kind::list, .of = &k_word};  // of a list parameter
constexpr Form k_setting{.otherwise = &k_texts};
constexpr Form k_sets{.kind = Kind::names, .of = &k_setting, .least = 1};
constexpr Form k_texts_or_sets{.kind = Kind::list, .of = &k_word, .otherwise = &k_sets};
constexpr Form k_default{.otherwise = &k_texts_or_sets};
constexpr Form k_sets_or_texts{
    .kind = Kind::names, .of = &k_setting, .least = 1, .otherwise = &k_texts};
constexpr Form k_axis_value{.otherwise = &k_sets_or_texts};
constexpr Form k_axis{.kind = Kind::list, .of = &k_axis_value, .least = 1};
constexpr Form k_group{.kind = Kind::list, .of = &k_word, .least = 2};
constexpr Form k_groups{.kind = Kind::list, .of = &k_group, .least = 1, .otherwise = &k_group};
constexpr Form k_expressions{.kind = Kind::names, .of = &k_sql};
constexpr Form k_predicates{.kind = Kind::list, .of = &k_sql};

constexpr Form k_one_model{.kind = Kind::keys, .keys = &k_model};
constexpr Form k_models{.kind = Kind::names, .of = &k_one_model};
constexpr Form k_names_of_files{.otherwise = &k_texts};
constexpr Form k_kept_lengths{.kind = Kind::keys, .keys = &k_tokens};
constexpr Form k_one_dataset{.kind = Kind::keys, .keys = &k_dataset};
constexpr Form k_datasets{.kind = Kind::names, .of = &k_one_dataset};
constexpr Form k_provided_where{.kind = Kind::keys, .keys = &k_provision};
constexpr Form k_path_or_conditional{.kind = Kind::path, .otherwise = &k_provided_where};
constexpr Form k_alternatives{.kind = Kind::list, .of = &k_path_or_conditional, .least = 1};
constexpr Form k_path_or_alternatives{
    .kind = Kind::keys, .keys = &k_provision, .otherwise = &k_alternatives};
constexpr Form k_provided_path{.kind = Kind::path, .otherwise = &k_path_or_alternatives};

constexpr Form k_port_number{.kind = Kind::integer, .least = 1, .most = k_last_port};
constexpr Form k_port_numbers{.kind = Kind::list, .of = &k_port_number, .least = 1};
constexpr Form k_pinned_ports{.kind = Kind::names, .of = &k_pinned_port};
constexpr Form k_port_or_url{
    .kind = Kind::integer, .least = 1, .most = k_last_port, .otherwise = &k_word};
constexpr Form k_ports_of_server{
    .kind = Kind::names, .of = &k_port_or_url, .remedy = "write {metrics: 8002}"};
constexpr Form k_headers{.kind = Kind::names, .of = &k_word, .least = 1};
constexpr Form k_one_server{.kind = Kind::keys, .keys = &k_service};
constexpr Form k_servers{.kind = Kind::names, .of = &k_one_server, .least = 1};
constexpr Form k_server_or_servers{.kind = Kind::keys, .keys = &k_service, .otherwise = &k_servers};
constexpr Form k_scorer{.choices = k_scorer_names, .remedy = "score.program runs your own"};
constexpr Form k_scorer_list{
    .kind = Kind::list, .of = &k_scorer, .least = 1, .remedy = "write [exact, f1]"};
constexpr Form k_tolerance{.kind = Kind::number, .least = 0};
constexpr Form k_score_form{.kind = Kind::keys, .keys = &k_score};
constexpr Form k_measure_form{.kind = Kind::keys, .keys = &k_measure};
constexpr Form k_client_limits_form{.kind = Kind::keys, .keys = &k_client_limits};
constexpr Form k_repeats_form{.kind = Kind::keys, .keys = &k_repeats};
constexpr Form k_limits_form{.kind = Kind::keys, .keys = &k_limits};

constexpr Key k_matrix_keys[] = {
    {"name", &k_word, "name of the experiment; results are kept under it", true},
    {"runner", &k_runner_name, "name of the runner: a folder under runners/", true},
    {"base", &k_path,
     "another matrix that this one changes: a path relative to this file, or preset:RUNNER/NAME, a "
     "preset that `orchestrate runners RUNNER` lists. Maps are merged; any other "
     "value replaces that of the base, and null removes it"},
    {"models", &k_models, "names of models and where each comes from"},
    {"datasets", &k_datasets, "names of prompt files; measure.prompts chooses one"},
    {"defaults", &k_settings,
     "values of parameters that no axis sets; a map under the name of a runner holds those of its "
     "points"},
    {"axes", &k_axes,
     "every combination of one value of each axis is a point. An axis is named after a parameter "
     "and lists its values, or has any name and lists maps, each of which sets several parameters "
     "together"},
    {"zip", &k_groups,
     "axes that advance together instead of crossing: one group, or a list of "
     "groups"},
    {"let", &k_expressions,
     "SQL over the point: the value of a parameter, or of a name for use in other expressions"},
    {"exclude", &k_predicates, "SQL predicates: points for which one is true are dropped"},
    {"include", &k_more_points,
     "further points: each entry sets some parameters and expands over the axes that it leaves "
     "out"},
    {"provide", &k_provided, "outputs of stages that exist already and are not made again"},
    {"ports", &k_pinned_ports,
     "the ports on which servers listen, by the runner's names: {http: 18000, grpc: 18001}; a list "
     "has one number per server of a point. Other ports are free ones in the site's range"},
    {"service", &k_server_or_servers,
     "a server that runs already, which is measured in place of the one that the runner would "
     "start; with several runners, a map under the name of each"},
    {"measure", &k_measure_form, "how each point is measured"},
    {"score", &k_score_form, "how the answers are scored, after the last measurement of a run"},
    {"machine", &k_stated_machine,
     "facts of the machine that replace detected ones, for planning without that machine"},
    {"limits", &k_limits_form, "limits of the matrix itself"},
    {"keep", &k_keep,
     "what is kept of models, checkpoints and engines once no remaining stage needs "
     "them: engines keeps what servers start from, results keeps none; measurement records always "
     "remain (all)"},
};

constexpr Key k_model_keys[] = {
    {"source", &k_word,
     "hf:OWNER/NAME (a hub), local:PATH (a folder, relative to the matrix), git:URL, url:ADDRESS "
     "(a file or tar archive) or generate:SHAPE (a small random model)",
     true},
    {"revision", &k_word,
     "branch, tag or commit on the hub or of the repository; a branch is resolved to a commit. For "
     "url:, the sha256 of the file"},
    {"facts", &k_stated_facts,
     "facts of the model that rules need before its config.json is here; names without model_"},
};

constexpr Key k_dataset_keys[] = {
    {"source", &k_word,
     "local:PATH of a prompt file, relative to the matrix, hf:OWNER/NAME (a dataset of a hub) or "
     "url:ADDRESS (a file); a file may be compressed by gzip or zstd",
     true},
    {"revision", &k_word, "branch, tag or commit (hf:); a branch is resolved to a commit (main)"},
    {"sha256", &k_word, "checksum of the url: file"},
    {"files", &k_names_of_files,
     "path of the file in a hub's repository, or several, whose rows are joined (its only "
     "JSON file)"},
    {"tokens", &k_kept_lengths, "keep rows of these lengths only"},
};

constexpr Form k_length{.kind = Kind::integer, .least = 1};
constexpr Key k_tokens_keys[] = {
    {"least", &k_length, "tokens in a prompt, and in its answer (1)"},
    {"most_in_prompt", &k_length, "tokens in a prompt (no limit)"},
    {"most", &k_length, "tokens in a prompt and its answer together (no limit)"},
};

constexpr Key k_provision_keys[] = {
    {"path", &k_path, "folder with the output of the stage, relative to the matrix", true},
    {"when", &k_sql, "SQL over the point: only points for which it is true use this path"},
};

constexpr Key k_service_keys[] = {
    {"url", &k_word, "http://HOST:PORT or https://HOST:PORT of its HTTP port", true},
    {"ports", &k_ports_of_server,
     "its further ports, by the runner's names: a number at the same host, or a URL"},
    {"machine", &k_word,
     "the machine that it runs on, in words: in digests it replaces the client's machine"},
    {"token_env", &k_word, "environment variable with its bearer token"},
    {"headers", &k_headers,
     "further headers of each request: names and values; $NAME in a value stands for "
     "that environment variable"},
    {"reuse", &k_boolean, "true: earlier measurements of it are reused (false)"},
};

constexpr Key k_measure_keys[] = {
    {"warmup", &k_sql, "requests before the measured window: a number, or SQL over the point"},
    {"seed", &k_seed, "seed of prompts and arrivals (0)"},
    {"repeats", &k_repeats_form, "how often measurements are repeated, and from where"},
    {"limits", &k_client_limits_form,
     "limits above which the client counts as saturated and the measurement as invalid"},
    {"prompts", &k_prompts, "synthetic, or a name under datasets (synthetic)"},
    {"reuse_prompts", &k_boolean,
     "true: every measurement sends the same prompts, all of a dataset for example; the default "
     "of the parameter reuse_prompts"},
    {"goodput", &k_sql,
     "SQL over the metrics of one request; goodput_rps counts the requests that meet it: "
     "ttft_ms < 500 AND itl_ms < 50"},
    {"isolation", &k_isolation,
     "what may run beside a measurement: strict, nothing of ours; gpu, stages on other GPUs and "
     "cores; none, anything (gpu on a machine with GPUs, else strict)"},
    {"check_isolation", &k_checks,
     "number of points that are also measured alone, to print what the neighbours cost (0)"},
    {"gpu_clock_mhz", &k_clock,
     "SM clock at which the GPUs of a server are locked while it runs, by `nvidia-smi -lgc` (not "
     "locked)"},
    {"prune", &k_words,
     "parameters, such as concurrency: if a point runs out of memory, points that differ only in "
     "larger values of these are not tried, and count as failed (pruned)"},
    {"until_difference", &k_word,
     "a share such as 3 %: sessions are added until a difference of this size is decided"},
    {"of", &k_column, "with until_difference: the column of results that is compared (output_tps)"},
    {"between", &k_word,
     "with until_difference: the axis whose values are compared, each with the first"},
    {"most_sessions", &k_most_sessions,
     "with until_difference: no side gets more server sessions than this (10)"},
};

constexpr Key k_score_keys[] = {
    {"scorers", &k_scorer_list,
     "scorers of answers; each is a metric, score_f1 for example. `orchestrate score --help` "
     "describes them"},
    {"program", &k_program,
     "a scorer of your own, relative to the matrix; its metric is score_ plus its file's name"},
    {"references", &k_word,
     "name under datasets: the right answers are the `output` of its rows (the dataset of "
     "measure.prompts)"},
    {"tolerance", &k_tolerance, "tolerance of scorer numeric: relative; absolute below 1 (1e-6)"},
};

constexpr Key k_repeats_keys[] = {
    {"measure", &k_count_of_repeats, "each load again, on the same server (1)"},
    {"serve", &k_count_of_repeats, "everything again, on a new server (1)"},
    {"build", &k_count_of_repeats, "everything again, with new artifacts (1)"},
};

constexpr Key k_client_limits_keys[] = {
    {"wake_lag_ms", &k_limit,
     "closed loop: 99th percentile of how late the client wakes up, in milliseconds (1)"},
    {"send_lag_ms", &k_limit,
     "open loop: 99th percentile of how late requests are sent, in milliseconds (1)"},
    {"client_cpu_share", &k_limit, "CPU time of the client's busiest thread per wall time (0.85)"},
};

constexpr Key k_limits_keys[] = {
    {"points", &k_count_of_points, "largest number of points before exclude (1000000)"},
};

constexpr Form k_price{.kind = Kind::number, .least = 0, .most = 1e9};
constexpr Form k_weight{.kind = Kind::number,
                        .least = 0.001,
                        .most = 1e6,
                        .remedy = "with 4, an output token costs as much as 4 input tokens"};
constexpr Form k_grace{.kind = Kind::number, .least = 0, .most = 86400, .noun = k_of_seconds};
constexpr auto k_containments = joined(value_names("auto"), names_of(Tag<system::Containment>()));
constexpr Form k_containment{.choices = k_containments};
constexpr Form k_gpu_ids{.kind = Kind::list,
                         .of = &k_word,
                         .least = 1,
                         .remedy = "write [4, 5], or leave it out to use every GPU"};
constexpr Form k_token_count{.kind = Kind::integer, .least = 0, .most = 1'000'000};
constexpr Form k_token_counts{
    .kind = Kind::names, .of = &k_token_count, .remedy = "write {licence: 2}"};
constexpr Form k_prices_form{.kind = Kind::keys, .keys = &k_prices};
constexpr Form k_engine{.choices = k_engines};
constexpr Form k_minutes{.kind = Kind::integer, .least = 1, .most = 525'600};
constexpr Form k_most_jobs{.kind = Kind::integer, .least = 1, .most = 100'000};
constexpr Form k_cpus{.kind = Kind::integer, .least = 0, .most = 1'000'000};
constexpr Form k_memory{.kind = Kind::number, .least = 0, .most = 1e6, .noun = "a number of GiB"};
constexpr Form k_lines{.kind = Kind::list, .of = &k_word, .remedy = "write [LINE, ...]"};
constexpr Form k_site_resources_form{.kind = Kind::keys, .keys = &k_site_resources};
constexpr Form k_resources_by_name{.kind = Kind::names,
                                   .of = &k_site_resources_form,
                                   .remedy = "write {convert: {cpus: 16, memory_gib: 300}}"};
constexpr Form k_site_slurm_form{.kind = Kind::keys, .keys = &k_site_slurm};
constexpr Form k_silent{.kind = Kind::number, .least = 1, .most = 3600, .noun = k_of_seconds};
constexpr Form k_site_store_form{.kind = Kind::keys, .keys = &k_site_store};
constexpr Form k_site_container_form{.kind = Kind::keys, .keys = &k_site_container};
constexpr Form k_ports_form{.kind = Kind::keys, .keys = &k_ports};

constexpr Key k_site_keys[] = {
    {"machine", &k_stated_machine, "facts of this machine that replace detected ones"},
    {"prices", &k_prices_form, "what an hour costs; plan then prints the cost of a sweep"},
    {"ports", &k_ports_form, "ports that servers may use (20000 to 29999)"},
    {"bind", &k_word,
     "the IPv4 address on which servers listen (127.0.0.1); with any other address, everyone who "
     "can reach it can use the servers"},
    {"gpu_ids", &k_gpu_ids,
     "the GPUs that may be used, by index or UUID: [4, 5] (all); --gpus replaces them"},
    {"container", &k_site_container_form, "how containers are started here"},
    {"slurm", &k_site_slurm_form, "how stages become jobs with `run --executor slurm`"},
    {"store", &k_site_store_form, "the results folder, where several hosts use it"},
    {"nvidia_smi", &k_words,
     "the command that locks and restores the clocks of GPUs for measure.gpu_clock_mhz: [sudo, -n, "
     "nvidia-smi] ([nvidia-smi])"},
    {"tokens", &k_token_counts,
     "how many there are of each thing that stages name under resources.tokens: {licence: 2} (1)"},
    {"runners", &k_word,
     "a folder of runners (NAME/runner.yaml), relative to this file; searched after those of the "
     "matrix and of the working folder"},
    {"grace_s", &k_grace,
     "seconds for which running stages go on after orchestrate has died, so that the next run can "
     "adopt them; under Slurm: for which an idle server keeps its allocation (120)"},
    {"containment", &k_containment,
     "what holds the processes of a stage together; auto takes the strongest that works here "
     "(auto)"},
};

constexpr Key k_site_container_keys[] = {
    {"engine", &k_engine, "engine of containers whose runner names none (docker)"},
    {"command", &k_words, "the command that calls it: [sudo, -n, docker] (its name)"},
    {"options", &k_words, "words after its `run` or `exec`: [--userns, keep-id]"},
    {"rootless", &k_boolean,
     "true: root in a container is the user who runs orchestrate (detected)"},
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
    {"lines", &k_lines, "further lines of the job's shell script, before the command that it runs"},
    {"resources", &k_resources_by_name,
     "what jobs request instead of what their stages state: {convert: {memory_gib: 500}}, by the "
     "name of a stage, or for all other stages by their kind, task or service"},
    {"server_minutes", &k_minutes, "time limit of a server with its measurements (240)"},
    {"most_jobs", &k_most_jobs, "jobs in the queue at one time (1000)"},
    {"most_in_array", &k_most_jobs,
     "jobs of one array; the cluster's MaxArraySize is one more (1000)"},
};

constexpr Key k_site_resources_keys[] = {
    {"cpus", &k_cpus,
     "--cpus-per-task, in total; for a service with its measurements. 0: the cluster's default"},
    {"memory_gib", &k_memory, "--mem, on all nodes together. 0: the cluster's default"},
};

constexpr Key k_site_store_keys[] = {
    {"shared", &k_boolean,
     "true: other hosts use it too, although its file system looks local (detected)"},
    {"silent_s", &k_silent,
     "seconds without a sign of life after which a run on another host counts as dead (30)"},
};

constexpr Key k_prices_keys[] = {
    {"gpu_hour", &k_price, "one GPU, while a stage holds it"},
    {"machine_hour", &k_price, "one machine, while anything runs"},
    {"currency", &k_word, "name of the currency, for printing"},
    {"output_token_weight", &k_weight,
     "price of an output token in input tokens, for `best --per cost`; without it, "
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

const Form k_keep{.choices = k_kept};
const Form k_pinned_port{.kind = Kind::integer,
                         .least = 1,
                         .most = k_last_port,
                         .otherwise = &k_port_numbers,
                         .remedy = "a list has one number per server"};
const Form k_runner_name{};
const Form k_settings{.kind = Kind::names, .of = &k_default};
const Form k_axes{.kind = Kind::names, .of = &k_axis};
const Form k_more_points{.kind = Kind::list, .of = &k_sets};
const Form k_stated_facts{.kind = Kind::names, .of = &k_word};
const Form k_provided{.kind = Kind::names, .of = &k_provided_path};
const Form k_stated_machine{.kind = Kind::names, .of = &k_word};

const KeyTable k_matrix{"matrix", "A matrix: the points of an experiment.", k_matrix_keys};
const KeyTable k_model{"model", "An entry of models.", k_model_keys};
const KeyTable k_dataset{"dataset", "An entry of datasets.", k_dataset_keys};
const KeyTable k_tokens{"tokens",
                        "Which rows of a dataset are kept, by the model's tokenizer. A row without "
                        "an answer is judged by its prompt.",
                        k_tokens_keys};
const KeyTable k_provision{"provision",
                           "An entry of provide is a path, a map with these keys, or a list of "
                           "both, each for different points.",
                           k_provision_keys};
const KeyTable k_service{"service", "A server that runs already: nothing is started or stopped.",
                         k_service_keys};
const KeyTable k_measure{"measure", "How each point is measured.", k_measure_keys};
const KeyTable k_score{"score",
                       "How the answers of a run are scored. It enters no digest: answers that "
                       "are kept are scored without measuring again.",
                       k_score_keys};
const KeyTable k_repeats{"repeats", "Repeats of a measurement.", k_repeats_keys};
const KeyTable k_client_limits{"client_limits",
                               "Limits of the client that measures. They enter no digest.",
                               k_client_limits_keys};
const KeyTable k_limits{"limits", "Limits of the matrix itself.", k_limits_keys};

const KeyTable k_site{"site", "The site file: settings of a site, not of an experiment.",
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
