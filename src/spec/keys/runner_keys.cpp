// The sections of runner.yaml except `stages`.
#include "spec/keys/runner_keys.hpp"

#include "spec/keys/key_forms.hpp"

namespace orch::keys {

namespace {

using Kind = Form::Kind;

constexpr Form k_evidence{.choices = k_evidences};
constexpr Form k_row{.kind = Kind::keys, .keys = &k_version_row};
constexpr Form k_evidence_or_row{.choices = k_evidences, .otherwise = &k_row};
constexpr Form k_rows{
    .kind = Kind::names, .of = &k_evidence_or_row, .least = 1, .remedy = "write VERSION: verified"};
constexpr Form k_carrier{.kind = Kind::keys, .keys = &k_version_carrier};
constexpr Form k_carried{.kind = Kind::names, .of = &k_version, .remedy = "write RELEASE: VERSION"};
constexpr Form k_versions_form{.kind = Kind::keys, .keys = &k_versions};

constexpr auto k_types = joined(k_fact_types, value_names("list", "path", "model", "dataset"));
constexpr Form k_type{.choices = k_types};
constexpr Form k_fact_type{.choices = k_fact_types};
constexpr Form k_bound{.kind = Kind::number};
constexpr Form k_spanned{.kind = Kind::keys, .keys = &k_spanned_value};
constexpr Form k_value{.otherwise = &k_spanned};
constexpr Form k_allowed{.kind = Kind::list, .of = &k_value};
constexpr Form k_one_parameter{.kind = Kind::keys, .keys = &k_parameter};
constexpr Form k_parameters{
    .kind = Kind::names, .of = &k_one_parameter, .remedy = "write NAME: {type: TYPE}"};

constexpr Form k_fact_values{.kind = Kind::names, .of = &k_word};
constexpr Form k_facts_by_class{
    .kind = Kind::names, .of = &k_fact_values, .remedy = "write {CLASS: {KEY: VALUE}}"};
constexpr Form k_fact_defaults_form{.kind = Kind::keys, .keys = &k_fact_defaults};
constexpr Form k_one_fact{.kind = Kind::keys, .keys = &k_fact};
constexpr Form k_fact_names{.kind = Kind::names,
                            .of = &k_one_fact,
                            .remedy = "write model_NAME: {type: TYPE, keys: [KEY]}"};
constexpr Form k_facts_form{.kind = Kind::keys, .keys = &k_facts};

constexpr Form k_level{.choices = k_levels};
constexpr Form k_one_rule{.kind = Kind::keys, .keys = &k_rule};
constexpr Form k_rules{.kind = Kind::list,
                       .of = &k_one_rule,
                       .remedy = "write - {name: NAME, require: SQL, because: TEXT}"};

constexpr Form k_one_resolver{.kind = Kind::keys, .keys = &k_resolver};
constexpr Form k_resolvers{
    .kind = Kind::names, .of = &k_one_resolver, .remedy = "write SCHEME: {argv: [...]}"};

constexpr Form k_manifest_container{.kind = Kind::keys, .keys = &k_container};

constexpr std::string_view k_help_of_parameters = "what a matrix may set";
constexpr std::string_view k_help_of_facts = "facts of a model that expressions may read";
constexpr std::string_view k_help_of_rules = "SQL conditions that a point must meet";
constexpr std::string_view k_help_of_resolve =
    "programs that turn a mutable revision of a model (a branch) into an identity (a commit), by "
    "the scheme of the source";
constexpr std::string_view k_help_of_container = "the container of stages with `container: true`";
constexpr std::string_view k_help_of_fragments = "pieces of stages, each written once";
constexpr std::string_view k_help_of_stages = "the stages, each below the stages that it needs";

constexpr Key k_manifest_keys[] = {
    {"runner", &k_filled, "name of the folder of this file", true},
    {"description", &k_word, "one line"},
    {"parts", &k_paths,
     "files below this folder with further parameters, facts, rules, resolvers, fragments and "
     "stages, appended in this order; common/FILE is one that all runners beside this one share"},
    {"versions", &k_versions_form, "versions of the tools, and the evidence for each"},
    {"parameters", &k_parameters, k_help_of_parameters},
    {"facts", &k_facts_form, k_help_of_facts},
    {"rules", &k_rules, k_help_of_rules},
    {"resolve", &k_resolvers, k_help_of_resolve},
    {"fragments", &k_fragments, k_help_of_fragments},
    {"container", &k_manifest_container, k_help_of_container},
    {"stages", &k_stages, k_help_of_stages},
};

constexpr Key k_part_keys[] = {
    {"container", &k_manifest_container, k_help_of_container},
    {"parameters", &k_parameters, k_help_of_parameters},
    {"facts", &k_facts_form, k_help_of_facts},
    {"rules", &k_rules, k_help_of_rules},
    {"resolve", &k_resolvers, k_help_of_resolve},
    {"fragments", &k_fragments, k_help_of_fragments},
    {"stages", &k_stages, k_help_of_stages},
};

constexpr Key k_versions_keys[] = {
    {"parameter", &k_filled, "the parameter of type version whose values they are", true},
    {"of", &k_filled, "name of the tool in messages", true},
    {"rows", &k_rows,
     "the versions, the oldest first, each with its evidence: verified (options were read from "
     "that version), neighbour (from an adjacent one) or inferred (from documents)",
     true},
    {"carried_by", &k_carrier, "releases of another product that carry these versions"},
};

constexpr Key k_version_carrier_keys[] = {
    {"of", &k_filled, "name of the product in messages", true},
    {"rows", &k_carried, "its releases, each with the version that it carries", true},
};

constexpr Key k_version_row_keys[] = {
    {"evidence", &k_evidence, "verified, neighbour or inferred", true},
    {"note", &k_word, "where the options are from"},
};

constexpr Key k_parameter_keys[] = {
    {"type", &k_type,
     "text, integer, real, boolean, version (compares as a version), list (texts; SQL sees a JSON "
     "array), path (a file or folder, relative to the matrix; its content enters digests where it "
     "exists), model (a name under `models:`, for {NAME.source}) or dataset (a name under "
     "`datasets:`, in place of measure.prompts, or one of values). A parameter that a common "
     "part declares already has a type"},
    {"values", &k_allowed, "the allowed values"},
    {"min", &k_bound, "smallest value of a number"},
    {"max", &k_bound, "largest value of a number"},
    {"unit", &k_filled, "unit of a number, such as tokens, GiB or ms"},
    {"default", &k_word, "value where the matrix sets none"},
    {"sql", &k_filled_sql, "the default, as SQL over other parameters and facts"},
    {"optional", &k_boolean, "true: a point may lack a value even if a stage reads the parameter"},
    {"compared", &k_boolean,
     "true: points of several runners are compared by it. `sql` alone computes it, no stage reads "
     "it, and it is in no name and no digest"},
    {"since", &k_filled_version, "first version that has the parameter"},
    {"until", &k_filled_version, "first version that no longer has it"},
    {"help", &k_word, "one line"},
};

constexpr Key k_spanned_value_keys[] = {
    {"value", &k_filled, "the value", true},
    {"since", &k_filled_version, "first version that has it"},
    {"until", &k_filled_version, "first version that no longer has it"},
};

constexpr Key k_facts_keys[] = {
    {"from", &k_filled, "the task that provides them", true},
    {"file", &k_filled_path, "a JSON file among its outputs, or below one", true},
    {"names", &k_fact_names, "the facts; their names begin with model_", true},
    {"known", &k_filled_path,
     "a file beside the manifest, or common/FILE, with the facts of known models, for plans before "
     "`file` is here: hf:OWNER/NAME: {heads: 28, ...}, names without model_"},
    {"below", &k_words,
     "dotted paths of objects in the file that are searched for a fact's keys, in this order, "
     "where the top level has none: [text_config]"},
    {"defaults", &k_fact_defaults_form, "values, by class, of keys that the file may omit"},
    {"weights", &k_words,
     "files beside `file`; the first that exists gives the key weights_bytes: "
     "metadata.total_size of a JSON file, else its size"},
};

constexpr Key k_fact_defaults_keys[] = {
    {"key", &k_filled, "the key that names the class, looked up like that of a fact", true},
    {"values", &k_facts_by_class, "values of keys by class: gemma: {tie_word_embeddings: true}",
     true},
};

constexpr Key k_fact_keys[] = {
    {"type", &k_fact_type, "text, integer, real, boolean or version", true},
    {"keys", &k_filled_words, "dotted paths into the file; the first that exists counts", true},
    {"absent", &k_filled, "value where the model is described without this fact"},
    {"help", &k_word, "one line"},
};

constexpr Key k_rule_keys[] = {
    {"name", &k_filled, "a-z, 0-9 and -; unique", true},
    {"require", &k_filled_sql, "a point for which this is false is rejected", true},
    {"when", &k_filled_sql, "the rule applies only to points for which this is true"},
    {"because", &k_filled, "the message; {PARAMETER} and {FACT} are filled in", true},
    {"level", &k_level,
     "reject; warn: the point is kept with a warning; note: it is kept, and `check` prints it"},
};

constexpr Key k_resolver_keys[] = {
    {"argv", &k_filled_words,
     "the command; {file:PATH}, {model.source} and {model.revision} are filled in. The last line "
     "of its output is the identity",
     true},
    {"reach", &k_words,
     "a command that fails, with the reason in its last line, if the files cannot be fetched from "
     "here; `doctor MATRIX` runs it"},
    {"inherit", &k_words, "environment variables of both commands: names or PREFIX_*"},
    {"timeout_s", &k_seconds, "seconds until each command is ended (60)"},
};

}  // namespace

const KeyTable k_manifest{"manifest", "runner.yaml: the stages of one stack as data.",
                          k_manifest_keys};
const KeyTable k_part{"part", "A file under parts.", k_part_keys};
const KeyTable k_versions{"versions", "Versions of the tools.", k_versions_keys};
const KeyTable k_version_carrier{"carrier of versions", "Releases that carry versions.",
                                 k_version_carrier_keys};
const KeyTable k_version_row{"version_row", "A version with a note.", k_version_row_keys};
const KeyTable k_parameter{"parameter", "An entry of parameters.", k_parameter_keys};
const KeyTable k_spanned_value{"value", "A value that not every version has.",
                               k_spanned_value_keys};
const KeyTable k_facts{"facts", "Facts of a model, and where they are read.", k_facts_keys};
const KeyTable k_fact_defaults{"defaults", "Entries of facts.defaults.", k_fact_defaults_keys};
const KeyTable k_fact{"fact", "An entry of facts.names.", k_fact_keys};
const KeyTable k_rule{"rule", "An entry of rules.", k_rule_keys};
const KeyTable k_resolver{"resolver", "An entry of resolve.", k_resolver_keys};

}  // namespace orch::keys
