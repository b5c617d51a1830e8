// The section `stages` of runner.yaml.
#include "spec/keys/key_forms.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/keys/runner_keys.hpp"

namespace orch::keys {

namespace {

using Kind = Form::Kind;

constexpr Form k_kind{.choices = k_stage_kinds};
constexpr Form k_keep_task{.choices = std::span(k_kept).first(2)};  // all, engines
constexpr std::string_view k_repeatable[] = {"build"};
constexpr Form k_repeat{.choices = k_repeatable};

// Items of argv: words, and maps distinguished by their first key.
constexpr Form k_inserted{.kind = Kind::keys, .keys = &k_fragment_words};
constexpr Form k_cut{.kind = Kind::keys, .keys = &k_cut_words, .otherwise = &k_inserted};
constexpr Form k_valued{.kind = Kind::keys, .keys = &k_values, .otherwise = &k_cut};
constexpr Form k_optional{.kind = Kind::keys, .keys = &k_options, .otherwise = &k_valued};
constexpr Form k_repeated{.kind = Kind::keys, .keys = &k_repeated_words, .otherwise = &k_optional};
constexpr Form k_conditional{.kind = Kind::keys, .keys = &k_when_words, .otherwise = &k_repeated};
constexpr Form k_item{.otherwise = &k_conditional};
constexpr Form k_items{.kind = Kind::list, .of = &k_item, .least = 1};

constexpr Form k_renamed{.kind = Kind::names,
                         .of = &k_word,
                         .least = 1,
                         .most = 1,
                         .remedy = "write a parameter's name, or {NAME: --option}"};
constexpr Form k_option{.otherwise = &k_renamed};
constexpr Form k_option_list{.kind = Kind::list, .of = &k_option};

constexpr Form k_counted_port{.kind = Kind::names,
                              .of = &k_sql,
                              .least = 1,
                              .most = 1,
                              .remedy = "write {NAME: SQL} with the number of such ports"};
constexpr Form k_port{.otherwise = &k_counted_port};
constexpr Form k_port_list{.kind = Kind::list, .of = &k_port, .most = 16};

constexpr std::string_view k_of_quantity = "a number, or SQL over the point";
constexpr Form k_quantity{.kind = Kind::sql, .least = 1, .noun = k_of_quantity};
constexpr Form k_quantity_list{.kind = Kind::list, .of = &k_quantity, .least = 1};
constexpr Form k_quantities{
    .kind = Kind::sql, .least = 1, .otherwise = &k_quantity_list, .noun = k_of_quantity};
constexpr Form k_range{
    .kind = Kind::list, .of = &k_quantity, .least = 2, .most = 2, .remedy = "write [FROM, TO]"};
constexpr Form k_quantity_by_name{
    .kind = Kind::names, .of = &k_quantity, .remedy = "write {licence: 1}"};

constexpr Form k_one_render{.kind = Kind::keys, .keys = &k_render};
constexpr Form k_renders{.kind = Kind::list, .of = &k_one_render};
constexpr Form k_one_copy{.kind = Kind::keys, .keys = &k_copy};
constexpr Form k_copies{.kind = Kind::list, .of = &k_one_copy};
constexpr Form k_one_place{.kind = Kind::keys, .keys = &k_place};
constexpr Form k_places{.kind = Kind::list, .of = &k_one_place};
constexpr Form k_tools_form{.kind = Kind::keys, .keys = &k_tools};
constexpr Form k_container_map{.kind = Kind::keys, .keys = &k_container};
constexpr Form k_container_form{.kind = Kind::boolean, .otherwise = &k_container_map};
constexpr Form k_resources_form{.kind = Kind::keys, .keys = &k_resources};
constexpr Form k_agree_form{.kind = Kind::keys, .keys = &k_agree};
constexpr Form k_ready_form{.kind = Kind::keys, .keys = &k_ready};
constexpr Form k_one_smoke{.kind = Kind::keys, .keys = &k_smoke};
constexpr Form k_smokes{.kind = Kind::list, .of = &k_one_smoke, .least = 1};
constexpr Form k_smoke_form{.kind = Kind::keys, .keys = &k_smoke, .otherwise = &k_smokes};
constexpr Form k_identity_form{.kind = Kind::keys, .keys = &k_identity};
constexpr Form k_filled_names{.kind = Kind::names, .of = &k_word, .least = 1};
constexpr Form k_one_fragment{.kind = Kind::keys, .keys = &k_fragment};
constexpr Form k_one_stage{.kind = Kind::keys, .keys = &k_stage};

constexpr Key k_stage_keys[] = {
    {"kind", &k_kind,
     "task: makes files and is cached; service: a server that lives while its measurements run; "
     "measure: one benchmark",
     true},
    {"help", &k_word, "one line"},
    {"needs", &k_words, "stages above it; a measurement needs exactly one service at each point"},
    {"reads", &k_words, "the parameters that it uses; only these enter its digest"},
    {"argv", &k_items,
     "the command: one process, no shell. Items are words and maps of words that some points have"},
    {"launch", &k_words, "words in front of argv that start it: a container, srun"},
    {"when", &k_filled_sql, "points for which this is false do not have the stage"},
    {"env", &k_named_words, "variables set for it; they enter the digest"},
    {"inherit", &k_words,
     "names or PREFIX_* taken from the environment of orchestrate, outside the digest"},
    {"secrets", &k_words, "the same as inherit, for secret values: they are redacted in logs"},
    {"executables", &k_paths, "absolute paths of programs whose content enters the digest"},
    {"version", &k_items,
     "a command that prints the version of a program: `run` asks it, the answer enters the digest, "
     "and the stage starts only with the same answer"},
    {"files", &k_paths,
     "files of this folder that scripts import; those in {file:...} are added automatically"},
    {"render", &k_renders, "templates of the project, filled and written below {out}"},
    {"copy", &k_copies, "files of this folder, copied below {out}"},
    {"outputs", &k_paths, "paths below {out} that must exist and not be empty"},
    {"tools", &k_tools_form, "versions of its tools, stored with its results"},
    {"resources", &k_resources_form, "what an attempt holds of the machine, and what it writes"},
    {"container", &k_container_form,
     "the container that it runs in; true: the one under `container` of the manifest (none)"},
    {"timeout_s", &k_seconds, "seconds until it is ended (3600)"},
    {"in_place", &k_boolean,
     "a task whose output cannot be moved (a virtual environment): it is made at its final path"},
    {"shared", &k_boolean,
     "with in_place: it is made in the cache of the user, and all stores of the user share it "
     "there"},
    {"keep", &k_keep_task,
     "the least `keep` of a matrix with which the output of this task stays once no remaining "
     "stage "
     "needs it: engines for what servers start from, all for what only those are made from (it "
     "always stays)"},
    {"batch", &k_boolean, "all ready tasks of this kind share one process, which gets {jobs}"},
    {"job", &k_named_words, "arguments of one job of a batch"},
    {"per_gpu_model", &k_boolean,
     "a task whose outputs suit only one GPU model, which enters the digest"},
    {"repeat", &k_repeat, "a task that measure.repeats.build of a matrix repeats"},
    {"agree", &k_agree_form, "how an output of this task that a matrix provides is checked"},
    {"ports", &k_port_list,
     "names of ports of a service; {NAME: SQL} stands for as many ports as SQL says"},
    {"place", &k_places, "files of other stages that a service copies below {work}"},
    {"ready", &k_ready_form, "when a service counts as ready; every service has it"},
    {"smoke", &k_smoke_form,
     "the first request to a service, whose answer must not be empty; of a list, the first that "
     "suits a point"},
    {"identity", &k_identity_form,
     "requests by which a server that runs already identifies itself (the paths of ready)"},
    {"stop_s", &k_seconds, "seconds from TERM to KILL of a service (20)"},
    {"shm_prefix", &k_filled,
     "a name with {token}: segments of /dev/shm that begin with it are removed with the service"},
};

constexpr Key k_when_words_keys[] = {
    {"when", &k_filled_sql, "only points for which this is true have the items", true},
    {"then", &k_items, "words, and further maps", true},
};

constexpr Key k_repeated_words_keys[] = {
    {"times", &k_filled_sql, "how often the items are repeated", true},
    {"then", &k_items, "words, and further maps", true},
    {"index", &k_word, "the counter's name; {NAME} counts from 1 (index)"},
};

constexpr Key k_options_keys[] = {
    {"options", &k_option_list,
     "--NAME VALUE for each of these parameters that has a value, a bare --NAME for a boolean that "
     "is true; {NAME: --option} for another option",
     true},
};

constexpr Key k_values_keys[] = {
    {"values", &k_option_list, "the same as options, but --NAME true and --NAME false", true},
};

constexpr Key k_cut_words_keys[] = {
    {"words", &k_filled, "a parameter whose text is split at blanks into words", true},
};

constexpr Key k_fragment_words_keys[] = {
    {"fragment", &k_filled, "a name under fragments, whose items stand here", true},
};

constexpr Key k_fragment_keys[] = {
    {"argv", &k_items, "the items of argv that {fragment: NAME} stands for", true},
    {"needs", &k_words, "added to the needs of a stage that uses it"},
    {"reads", &k_words, "added to its reads"},
    {"files", &k_paths, "added to its files"},
    {"env", &k_named_words, "added to its env"},
    {"job", &k_named_words, "added to its job"},
};

constexpr Key k_render_keys[] = {
    {"from", &k_filled_path, "a template below the project's folder", true},
    {"to", &k_filled_path, "path below {out}", true},
    {"values", &k_named_words, "placeholders and their texts"},
};

constexpr Key k_copy_keys[] = {
    {"from", &k_filled_path, "a file of this folder", true},
    {"to", &k_filled_path, "path below {out}", true},
};

constexpr Key k_place_keys[] = {
    {"from", &k_filled_path, "{stage:NAME}/PATH", true},
    {"to", &k_filled_path, "path below {work}", true},
    {"stages", &k_words, "stages whose {stage:NAME} in its text files is replaced by a path"},
};

constexpr Key k_tools_keys[] = {
    {"from", &k_filled_path,
     "a JSON file in the output of a stage that this one needs: {stage:NAME}/versions.json", true},
    {"names", &k_filled_words, "the tools", true},
};

constexpr Key k_resources_keys[] = {
    {"gpus", &k_quantity, "GPUs that an attempt holds: a number, or SQL over the point"},
    {"driver", &k_filled_sql,
     "points for which this is true load the libraries of the GPU driver: a container without GPUs "
     "gets libcuda.so.1 and libnvidia-ml.so.1 of the host"},
    {"cores", &k_quantity,
     "physical cores of its own, where measure.isolation is gpu; all if there are fewer (a stage "
     "with GPUs: the cores near "
     "them; a server without: all cores; a task without: cores that nothing else has)"},
    {"cpus", &k_quantity,
     "CPUs that a Slurm job requests for it, if it states no cores; on one machine nothing "
     "waits "
     "for them"},
    {"memory_gib", &k_quantity, "GiB of the host's memory that no other stage may count on"},
    {"tokens", &k_quantity_by_name,
     "named things that it holds, such as a licence: {NAME: how many}. `tokens` of the site file "
     "says how many there are (1)"},
    {"disk_gib", &k_quantity,
     "GiB that it writes, used until measured: it does not start if less is free"},
    {"seconds", &k_quantities,
     "the least time that it takes, or a list of bounds, of which the largest known one "
     "counts; "
     "0 or NULL: unknown. An unknown fact delays nothing. A measurement is ended after ten "
     "times as long, or after its timeout_s if that is longer"},
    {"expected_seconds", &k_range,
     "the time that it probably takes, [FROM, TO], used until it has been measured; NULL: unknown"},
};

constexpr std::string_view k_container_users[] = {"host", "image"};
constexpr Form k_container_user{.choices = k_container_users};
constexpr std::string_view k_entrypoints[] = {"none", "image"};
constexpr Form k_entrypoint{.choices = k_entrypoints};
constexpr Form k_engine_option{.otherwise = &k_cut};
constexpr Form k_engine_options{.kind = Kind::list, .of = &k_engine_option};

constexpr Key k_container_table_keys[] = {
    {"image", &k_filled,
     "name of the image, NAME@sha256:..., or the path of an image file; the image enters the "
     "digest "
     "by its own digest"},
    {"built", &k_paths,
     "instead, JSON files of stages whose `id` names the image; the first whose stage the point "
     "has"},
    {"when", &k_filled_sql, "points for which this is false run without a container"},
    {"engine", &k_filled,
     "docker, podman, apptainer or cluster (that of the site file, else docker)"},
    {"shm_size", &k_filled, "size of /dev/shm, such as 16g (that of the engine)"},
    {"network", &k_filled, "its network (host)"},
    {"ipc", &k_filled, "its namespace for shared memory (that of the engine)"},
    {"user", &k_container_user,
     "host: its processes are those of the user who runs orchestrate; image: of the image's user "
     "(host)"},
    {"entrypoint", &k_entrypoint, "none, or that of the image, which gets the command (none)"},
    {"ulimits", &k_named_words, "limits of its processes, {memlock: -1, nofile: \"1024:4096\"}"},
    {"folders", &k_words,
     "folders that are mounted beside those of the stage, DIR or DIR:DIR, at the same paths"},
    {"caches", &k_words,
     "variables that name cache folders: each is set to one of the attempt, unless env or inherit "
     "of the stage has the variable; outside the digest"},
    {"options", &k_engine_options,
     "further words of the engine's command, and {words: PARAMETER}; they enter the digest"},
    {"probe", &k_words,
     "a command in the image; it gets programs and files as further args, and prints those that "
     "exist; `doctor MATRIX` runs it"},
};

constexpr Key k_agree_keys[] = {
    {"file", &k_filled_path, "a JSON file of the output", true},
    {"values", &k_filled_names, "parameters and the dotted paths where they must be equal", true},
    {"at_least", &k_named_words, "the same as values, where a larger number is allowed"},
    {"may_lack", &k_words, "parameters that the file may leave out"},
};

constexpr Key k_ready_keys[] = {
    {"port", &k_filled, "one of its ports", true},
    {"get", &k_filled_words, "paths that must answer 200", true},
    {"timeout_s", &k_seconds, "seconds until the start counts as failed (120)"},
};

constexpr Key k_identity_keys[] = {
    {"get", &k_filled_words, "paths at the port of ready whose answers say what the server is",
     true},
    {"without", &k_words,
     "members of JSON answers that change by themselves, besides created and permission"},
};

constexpr Key k_smoke_keys[] = {
    {"port", &k_filled, "one of its ports", true},
    {"post", &k_filled_path, "path of the request", true},
    {"body", &k_filled, "JSON text", true},
    {"answer", &k_filled,
     "member of the JSON answer that must not be empty: a, a.b; without it, the status counts"},
    {"when", &k_filled_sql, "points for which this is false take the next entry of the list"},
};

}  // namespace

const Form k_fragments{.kind = Kind::names, .of = &k_one_fragment};
const Form k_stages{.kind = Kind::names,
                    .of = &k_one_stage,
                    .least = 1,
                    .remedy = "write NAME: {kind: task, argv: [...], outputs: [...]}"};

const KeyTable k_stage{"stage", "An entry of stages.", k_stage_keys};
const KeyTable k_when_words{"when_words", "An item of argv that some points have.",
                            k_when_words_keys};
const KeyTable k_repeated_words{"repeated_words", "An item of argv that is repeated.",
                                k_repeated_words_keys};
const KeyTable k_options{"options", "An item of argv: options with the names of parameters.",
                         k_options_keys};
const KeyTable k_values{"values", "An item of argv: options that take true or false as a word.",
                        k_values_keys};
const KeyTable k_cut_words{"cut_words", "An item of argv: a text of several words.",
                           k_cut_words_keys};
const KeyTable k_fragment_words{"fragment_words", "An item of argv: the items of a fragment.",
                                k_fragment_words_keys};
const KeyTable k_fragment{"fragment", "An entry of fragments: a piece that stages share.",
                          k_fragment_keys};
const KeyTable k_render{"render", "An entry of render.", k_render_keys};
const KeyTable k_copy{"copy", "An entry of copy.", k_copy_keys};
const KeyTable k_place{"place", "An entry of place.", k_place_keys};
const KeyTable k_tools{"tools", "Versions of tools.", k_tools_keys};
const KeyTable k_resources{"resources", "What an attempt holds and writes.", k_resources_keys};
const KeyTable k_container{"container", "The container of a stage.", k_container_table_keys};
const KeyTable k_agree{"agree", "The check of a provided output.", k_agree_keys};
const KeyTable k_ready{"ready", "When a service counts as ready.", k_ready_keys};
const KeyTable k_identity{"identity", "What tells one running server from another.",
                          k_identity_keys};
const KeyTable k_smoke{"smoke", "The first request to a service.", k_smoke_keys};

}  // namespace orch::keys
