// The keys of matrix.yaml: tables for its parser, its schema and its reference page.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/key_table.hpp"

#include <string_view>

namespace orch::keys {

inline constexpr int k_last_port = 65535;
// Choices that also exist as enumerations.
inline constexpr auto k_isolations = value_names("strict", "gpu", "none");
inline constexpr auto k_kept = value_names("all", "engines", "results");
inline constexpr auto k_engines = value_names("docker", "podman", "apptainer", "cluster");

// Scorers that are built into `score`.
inline constexpr std::string_view k_scorer_names[] = {"exact", "normalized", "f1", "rouge_l",
                                                      "numeric"};

extern const KeyTable k_matrix;
extern const KeyTable k_model;
extern const KeyTable k_dataset;
extern const KeyTable k_tokens;
extern const KeyTable k_provision;
extern const KeyTable k_service;
extern const KeyTable k_measure;
extern const KeyTable k_score;
extern const KeyTable k_client_limits;
extern const KeyTable k_repeats;
extern const KeyTable k_limits;

extern const Form k_keep;
extern const Form k_pinned_port;  // the value of a name under `ports`

// Forms that a runner restricts to its own parameters, facts and stages.
extern const Form k_runner_name;
extern const Form k_settings;        // parameters, with one value each
extern const Form k_axes;            // axes and their lists of values
extern const Form k_more_points;     // the entries of `include`
extern const Form k_stated_facts;    // of a model
extern const Form k_provided;        // stages and paths
extern const Form k_stated_machine;  // machine facts; the parser takes them from their table

// The keys of the site file: tables for its parser, its schema and its reference page.

extern const KeyTable k_site;
extern const KeyTable k_site_container;
extern const KeyTable k_site_slurm;
extern const KeyTable k_site_resources;  // of slurm
extern const KeyTable k_site_store;
extern const KeyTable k_prices;
extern const KeyTable k_ports;
extern const KeyTable k_machine_file;  // of --machine, if it has the facts under a key

}  // namespace orch::keys
