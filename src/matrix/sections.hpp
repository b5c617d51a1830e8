// The sections of a matrix, each read into the matrix of a Reader. NODE is what stands under the
// section's key.
#pragma once

#include "matrix/reader.hpp"

namespace orch::matrix {

void read_defaults(Reader& reader, const Yaml& node);
void read_axes(Reader& reader, const Yaml& node);
void read_let(Reader& reader, const Yaml& node);
void read_exclude(Reader& reader, const Yaml& node);
void read_include(Reader& reader, const Yaml& node);
// Two places that set one name. After axes and let.
void refuse_clashes(Reader& reader);
// After refuse_clashes: axes that advance together become one.
void read_zip(Reader& reader, const Yaml& node);

void read_models(Reader& reader, const Yaml& node);
void read_datasets(Reader& reader, const Yaml& node);
void read_provide(Reader& reader, const Yaml& node);

// After datasets.
void read_measure(Reader& reader, const Yaml& node);
void read_limits(Reader& reader, const Yaml& node);

}  // namespace orch::matrix
