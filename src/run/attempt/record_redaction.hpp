// Redacts the record that a measurement wrote, before it is hashed, published and ingested. Knows
// no stage and no database.
#pragma once

#include "core/base/result.hpp"
#include "core/secret/redact.hpp"
#include "os/system/files.hpp"

#include <string>

namespace orch::attempt {

// Redacts measurement.json, requests.jsonl and answers.jsonl.zst in FOLDER, if they exist. A file
// without a secret is left untouched, and an unreadable one is left to its reader. May be
// interrupted at any moment and called again.
Status redact_record(system::Files& files, const std::string& folder,
                     const secret::JsonSecrets& secrets);

}  // namespace orch::attempt
