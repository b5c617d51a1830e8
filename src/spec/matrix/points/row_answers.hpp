// The results of the expressions for the current row of an expansion. A result that cannot be used
// is an error: one per cause, with its first point and a count.
#pragma once

#include "core/base/result.hpp"
#include "spec/matrix/row.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// Like Point::Waiting, but borrowing strings that outlive the row.
struct Wait {
  const std::string* reader;
  const std::string* fact;
  bool operator==(const Wait&) const = default;
};

class RowAnswers {
 public:
  // All must outlive this. COLUMNS: after create().
  RowAnswers(const Vocabulary& vocabulary, const Columns& columns, const Row& row)
      : vocabulary_(vocabulary), columns_(columns), row_(row) {}

  // Whether COLUMN waits for facts; adds them to WAITING.
  bool waits(std::vector<Wait>& waiting, std::size_t column) const;
  // nullopt for NULL and, as an error, for text.
  std::optional<bool> truth(std::size_t column);

  // Adds ERROR of the row. Rows with the same CAUSE share the error of the first.
  void add(const std::string& cause, Error error);
  // The same for an error of COLUMN.
  void found(const Column& column, std::string_view cause, const std::string& message);
  // The error that COLUMN is NULL: why, and the remedy.
  void find_null(std::size_t column);
  // Appends one error per cause to ERRORS, in the order of discovery.
  void report(Errors& errors, const Rows& rows) const;

 private:
  struct Finding {
    Error error;
    std::size_t row;
    std::size_t more;
    std::size_t order;
  };
  const ModelFact* missing_fact(std::size_t column) const;
  std::string way_out(const ModelFact& fact) const;

  const Vocabulary& vocabulary_;
  const Columns& columns_;
  const Row& row_;
  std::map<std::string, Finding> findings_;  // by cause
};

}  // namespace orch::matrix
