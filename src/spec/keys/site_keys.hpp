// The keys of the site file: tables for its parser, its schema and its reference page. Reads
// nothing.
#pragma once

#include "core/base/key_table.hpp"

namespace orch::keys {

extern const KeyTable k_site;
extern const KeyTable k_site_container;
extern const KeyTable k_site_slurm;
extern const KeyTable k_site_resources;  // of slurm
extern const KeyTable k_site_store;
extern const KeyTable k_prices;
extern const KeyTable k_ports;
extern const KeyTable k_machine_file;  // of --machine, where it has the facts under a key

}  // namespace orch::keys
