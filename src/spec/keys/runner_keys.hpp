// The keys of runner.yaml and its parts: tables for their parser, their schema and their reference
// page.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/key_table.hpp"

namespace orch::keys {

// Choices that also exist as enumerations.
inline constexpr auto k_evidences = value_names("verified", "neighbour", "inferred");
inline constexpr auto k_fact_types = value_names("text", "integer", "real", "boolean", "version");
inline constexpr auto k_levels = value_names("reject", "warn", "note");
inline constexpr auto k_stage_kinds = value_names("task", "service", "measure");

extern const KeyTable k_manifest;
extern const KeyTable k_part;  // a file under `parts`

extern const KeyTable k_versions;
extern const KeyTable k_version_row;
extern const KeyTable k_version_carrier;
extern const KeyTable k_parameter;
extern const KeyTable k_spanned_value;
extern const KeyTable k_facts;
extern const KeyTable k_fact_defaults;
extern const KeyTable k_fact;
extern const KeyTable k_rule;
extern const KeyTable k_fragment;  // a piece shared by several stages
extern const KeyTable k_resolver;

extern const KeyTable k_stage;
extern const KeyTable k_when_words;
extern const KeyTable k_repeated_words;
extern const KeyTable k_options;
extern const KeyTable k_values;
extern const KeyTable k_cut_words;
extern const KeyTable k_fragment_words;
extern const KeyTable k_render;
extern const KeyTable k_copy;
extern const KeyTable k_place;
extern const KeyTable k_tools;
extern const KeyTable k_resources;
extern const KeyTable k_container;
extern const KeyTable k_agree;
extern const KeyTable k_ready;
extern const KeyTable k_smoke;
extern const KeyTable k_identity;

}  // namespace orch::keys
