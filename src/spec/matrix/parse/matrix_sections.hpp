// The sections of a matrix, each read into the matrix of a SectionReader. NODE is the value of the
// section's key.
#pragma once

#include "spec/matrix/parse/section_reader.hpp"

namespace orch::matrix {

void read_defaults(SectionReader& reader, const Yaml& node);
void read_axes(SectionReader& reader, const Yaml& node);
void read_let(SectionReader& reader, const Yaml& node);
void read_exclude(SectionReader& reader, const Yaml& node);
void read_include(SectionReader& reader, const Yaml& node);
// Reports a name that two places set. Call it after axes and let.
void refuse_clashes(SectionReader& reader);
// Reports a map under `defaults` that is of no runner of the matrix. Call it after include.
void refuse_strange_defaults(SectionReader& reader);
// Makes one axis of axes that advance together. Call it after refuse_clashes.
void read_zip(SectionReader& reader, const Yaml& node);

void read_models(SectionReader& reader, const Yaml& node);
void read_datasets(SectionReader& reader, const Yaml& node);
void read_provide(SectionReader& reader, const Yaml& node);
void read_ports(SectionReader& reader, const Yaml& node);
// After include: it may name the runners of all points.
void read_service(SectionReader& reader, const Yaml& node);

// After datasets.
void read_measure(SectionReader& reader, const Yaml& node);
// The keys of `measure.until_difference` in MAP, the map of `measure:`. After axes and include.
void read_until_difference(SectionReader& reader, YamlMap& map);
// After datasets and measure.
void read_score(SectionReader& reader, const Yaml& node);
void read_limits(SectionReader& reader, const Yaml& node);
void read_keep(SectionReader& reader, const Yaml& node);

}  // namespace orch::matrix
