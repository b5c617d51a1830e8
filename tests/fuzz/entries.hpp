// What is fuzzed: a text goes in, errors or a checked thing come out, and nothing else may happen.
// Shared by the fuzzers
// (`make fuzz`) and by the test that replays the corpus.
#pragma once

#include <cstddef>
#include <string_view>

namespace orch::fuzz {

// A matrix file: parsed and expanded against a small runner, at most a few dozen points.
void read_matrix(std::string_view text);
// A runner's manifest: parsed and checked.
void read_manifest(std::string_view text);
// A config.pbtxt template below a first line of substitutions: filled and checked.
void fill_template(std::string_view text);
// What an HTTP/1.1 server answers to one request for events, behind a byte that says how it is cut.
void read_http_answer(std::string_view bytes);
// What a gRPC server answers to one call, behind a byte that says how it is cut.
void read_grpc_answer(std::string_view bytes);

// The events of one answer, one a line, or a model's configuration: read by every protocol of the
// load generator whose events are texts.
void read_events(std::string_view text);
// The messages of one answer over gRPC, each behind two bytes of its length, the lower first: read
// by every kind of model. How many were read as tokens, each of which takes an output that was
// found by its name.
std::size_t read_tensors(std::string_view bytes);

}  // namespace orch::fuzz
