// The columns behind a list of points. PointMaker fills them.
#pragma once

#include "spec/matrix/points/id_column.hpp"
#include "spec/matrix/points/point_name.hpp"
#include "spec/matrix/points/points.hpp"
#include "spec/matrix/row.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace orch::matrix {

// Where the model and the prompts of points come from.
struct PointOrigin {
  std::string model;  // as in Point
  std::string source;
  std::string written;  // the source as written in the matrix
  std::string revision;
  std::string dataset;
};

// The parts of a point that depend on facts.
struct OpenFacts {
  SharedList<Point::Waiting> waiting;
  SharedList<std::string> unknown;
  // Slots whose values depend on facts: a name must not change when facts arrive.
  std::vector<std::size_t> fleeting;

  std::weak_ordering operator<=>(const OpenFacts&) const = default;
};

// The matrix's settings for a point besides its parameters.
struct Treatment {
  std::vector<std::size_t> provided;
  bool again = false;

  auto operator<=>(const Treatment&) const = default;
};

// The parts of a row that become a point, besides its parameters; reused from row to row.
struct PointRow {
  std::uint32_t origin = 0;
  std::int64_t warmup = 0;
  std::vector<Point::Broken> rejections, warnings;
  std::vector<std::string> notes;
  OpenFacts open;
  Treatment treatment;
  std::vector<double> answers;

  bool is_rejected() const { return !rejections.empty(); }
  void clear();
};

class PointBlock {
 public:
  // TABLE is shared with the row that fills it.
  PointBlock(Rows rows, std::shared_ptr<ParameterTable> table, PointNames names,
             std::size_t questions);

  // Returns the number by which rows refer to ORIGIN.
  std::uint32_t add(PointOrigin origin);
  void push(const Row& row, const PointRow& own);
  // Makes the names of points distinct; called once, after the last push().
  void tell_names_apart();

  const Rows& rows() const { return all_rows_; }  // of the expansion
  std::size_t size() const { return rows_.size(); }
  std::string name(std::size_t index) const;
  Point point(std::size_t index) const;
  Parameters parameters(std::size_t index) const { return {table_, index}; }
  const PointOrigin& origin(std::size_t index) const { return origins_[origin_[index]]; }
  bool is_from(std::size_t index, std::uint32_t origin) const { return origin_[index] == origin; }
  const Verdict& verdict(std::size_t index) const { return verdicts_[index]; }
  const SharedList<Point::Waiting>& waiting(std::size_t index) const {
    return open_[index].waiting;
  }

 private:
  std::string name(std::size_t index, std::size_t hex_digits) const;

  const Rows all_rows_;
  const std::shared_ptr<ParameterTable> table_;
  const PointNames names_;
  std::vector<PointOrigin> origins_;
  std::vector<std::uint32_t> rows_;  // of the expansion, by point, as are the columns below
  IdColumn origin_;
  InternedColumn<std::int64_t> warmup_;
  InternedColumn<Verdict> verdicts_;
  InternedColumn<OpenFacts> open_;
  InternedColumn<Treatment> treatments_;
  std::vector<InternedColumn<std::uint64_t>> answers_;  // [question]: the bits of a double
  std::map<std::size_t, std::size_t> hex_digits_;       // of names with more than the minimum
};

}  // namespace orch::matrix
