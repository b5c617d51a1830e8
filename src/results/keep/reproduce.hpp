// What the store knows about a point to be reproduced: the matrix that requested it, its
// parameters, and the identities and digests of its stages. Read-only.
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

// A matrix of one point, with everything pinned that its experiment's matrix left open. Text from
// values: opens no file and knows no store.

struct OnePoint {
  std::string name;
  // Every parameter of the point, as stored: name and JSON value.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::map<std::string, std::string> revisions;  // by source: the commit that was used
  std::vector<std::string> remarks;              // comments for the top of the file
};

// As YAML. MATRIX is that of the experiment, with absolute paths; VOCABULARY that of the point's
// runner RUNNER. Expands to one point with POINT's parameters.
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

// POINT is a full name; the newest run that planned it counts. ErrorKind::invalid if the point does
// not come from a matrix.
Result<RecordedPoint> recorded_point(sql::Database& database, const std::string& point);

// The text of the matrix file itself, and those of its bases by path, extracted from the record.
struct MatrixTexts {
  std::string matrix;
  std::vector<std::pair<std::string, std::string>> bases;
};
MatrixTexts matrix_texts(const std::string& recorded);

// A stage whose digest in PLAN differs from the recorded one, and how.
struct Difference {
  std::string stage;
  std::vector<std::string> what;  // "argv[3]: a -> b"
};
std::vector<Difference> differences(const RecordedPoint& recorded, const plan::Plan& plan);

}  // namespace orch::keep
