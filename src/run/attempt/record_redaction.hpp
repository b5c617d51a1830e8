// Redacts the record that a measurement wrote, before it is hashed, published and ingested.
#pragma once

#include "core/base/result.hpp"
#include "core/secret/redact.hpp"
#include "os/system/files.hpp"

#include <string>

namespace orch::attempt {

// Redacts measurement.json, requests.jsonl and answers.jsonl.zst in FOLDER, if they exist. A file
// without secrets is left unchanged; one that cannot be unpacked is left for its reader to report.
// May be interrupted at any moment and called again.
Status redact_record(system::Files& files, const std::string& folder,
                     const secret::JsonSecrets& secrets);

}  // namespace orch::attempt
