// The entries of the fuzzers: each reads its input, and aborts if a property of the result or of
// its errors does not hold. Shared by `make fuzz` and by the test that replays the corpus.
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
// The answer of an HTTP/1.1 server to one request for events, after a byte for the size of pieces.
void read_http_answer(std::string_view bytes);
// The answer of a gRPC server to one call, after a byte for the size of pieces.
void read_grpc_answer(std::string_view bytes);

// A result file of another tool, read as every format, whether recognised or not. Returns the
// number of formats that recognise it.
std::size_t read_results(std::string_view text);

// The events of one answer, one per line, or a model's configuration: read by every protocol whose
// events are texts.
void read_events(std::string_view text);
// The messages of one answer over gRPC, each after its length in two bytes, the lower first: read
// by every kind of model. Returns the number of tokens; each needs an output that was found by
// name.
std::size_t read_tensors(std::string_view bytes);

}  // namespace orch::fuzz
