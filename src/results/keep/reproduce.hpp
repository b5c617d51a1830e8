// The recorded facts about a point to be reproduced: the matrix that requested it, its parameters,
// and the identities and digests of its stages. Only reads the store.
#pragma once

#include "core/sql/database.hpp"
#include "plan/graph/plan.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::keep {

// A matrix of one point, with everything pinned that its experiment's matrix left open. Only builds
// text: opens no files.

struct OnePoint {
  std::string name;
  // Every parameter of the point, as stored: name and JSON value.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::map<std::string, std::string> revisions;  // by source: the commit that was used
  std::vector<std::string> remarks;              // comments for the top of the file
};

// The YAML of a matrix that expands to one point with POINT's parameters. MATRIX is the
// experiment's, with absolute paths; VOCABULARY is that of RUNNER, the point's runner.
std::string one_point_matrix(const matrix::Matrix& matrix, const matrix::Vocabulary& vocabulary,
                             const std::string& runner, const OnePoint& point);

struct RecordedStage {
  std::string id, name, digest;
  std::vector<std::pair<std::string, std::string>> components;  // of the digest
};

struct RecordedPoint {
  std::string experiment, runner;
  std::int64_t run = 0;
  std::string matrix_file, matrix_text, folder;
  OnePoint point;
  std::vector<RecordedStage> stages;
};

// POINT is a full name. Reads it from the newest run that planned it. Errors: not_found; invalid if
// the point does not come from a matrix.
Result<RecordedPoint> recorded_point(sql::Database& database, const std::string& point);

// The texts of the matrix file and, by path, of its bases, extracted from the recorded text.
struct MatrixTexts {
  std::string matrix;
  std::vector<std::pair<std::string, std::string>> bases;
};
MatrixTexts matrix_texts(const std::string& recorded);

// A stage whose digest in the plan differs from the recorded one, and the differences.
struct Difference {
  std::string stage;
  std::vector<std::string> what;  // "argv[3]: a -> b"
};
std::vector<Difference> differences(const RecordedPoint& recorded, const plan::Plan& plan);

}  // namespace orch::keep
