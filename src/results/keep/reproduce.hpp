// What the store knows of a point that is to be made again: the matrix that asked for it, its
// parameters, and the identities and digests of its stages. Reads only.
#pragma once

#include "core/sql/database.hpp"
#include "plan/graph/plan.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::keep {

// A matrix of one point, with everything pinned that the matrix of its experiment left open. Text
// from values: opens no file and knows no store.

struct OnePoint {
  std::string name;
  // Every parameter of the point, as the store has it: name and JSON value.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::map<std::string, std::string> revisions;  // by source: the commit that was used
  std::vector<std::string> remarks;              // for the top of the file
};

// As YAML. MATRIX is that of the experiment, with absolute paths; VOCABULARY that of the runner
// RUNNER of the point. Expands to one point with POINT's parameters.
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

// POINT is a full name; the newest run that planned it counts. Errors: ErrorKind::invalid for a
// point of no matrix.
Result<RecordedPoint> recorded_point(sql::Database& database, const std::string& point);

// The matrix file's own text, and those of its bases by path, out of what the record has.
struct MatrixTexts {
  std::string matrix;
  std::vector<std::pair<std::string, std::string>> bases;
};
MatrixTexts matrix_texts(const std::string& recorded);

// A stage whose digest in PLAN is not the recorded one, with what differs.
struct Difference {
  std::string stage;
  std::vector<std::string> what;  // "argv[3]: a -> b"
};
std::vector<Difference> differences(const RecordedPoint& recorded, const plan::Plan& plan);

}  // namespace orch::keep
