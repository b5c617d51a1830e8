// Matrix x vocabulary -> points: defaults filled in, expressions evaluated in SQLite, excluded
// points dropped, rejected and undecided ones marked. Starts nothing and opens no file.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::matrix {

// An immutable list that many points share. Knows no point.

template <class T> class SharedList {
 public:
  using value_type = T;
  using const_iterator = const T*;

  SharedList() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a list is shared by assigning it
  SharedList(std::vector<T> list)
      : list_(list.empty() ? nullptr : std::make_shared<const std::vector<T>>(std::move(list))) {}
  SharedList(std::initializer_list<T> list) : SharedList(std::vector<T>(list)) {}

  bool empty() const { return !list_; }
  std::size_t size() const { return list_ ? list_->size() : 0; }
  const T* begin() const { return list_ ? list_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  const T& front() const { return list_->front(); }

 private:
  std::shared_ptr<const std::vector<T>> list_;  // null: empty
};

// The facts of the machine and of each model of a matrix, as detected, read or stated. Knows no
// expression.

class Known {
 public:
  // Appends to ERRORS: stated facts that the vocabulary does not have or that have another type.
  Known(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& found,
        Errors& errors);

  // The columns of all facts: the host's, then the models'.
  const std::vector<const Parameter*>& columns() const { return columns_; }
  bool is_fact(std::string_view column) const;

  // The value of COLUMN for MODEL ("" for none); null when it is absent or unknown.
  const Value* find(const std::string& model, const std::string& column) const;
  bool is_unknown(const std::string& model, const std::string& column) const;

 private:
  void read_stated(const std::string& name, const Model& model, Errors& errors);

  const Vocabulary& vocabulary_;
  const KnownFacts& found_;
  std::vector<const Parameter*> columns_;
  std::map<std::string, std::map<std::string, Value>> stated_;  // by model and column
  // The values of columns that have one while they are absent.
  std::map<std::string, Value> absent_;
};

// One full assignment of parameters.
struct Point {
  std::string name;       // axis values + six characters of a hash over the point's own parameters
  Parameters parameters;  // every parameter that has a value, `let` columns included
  std::string model;      // its name under `models:`; "" when the runner has no parameter `model`
  std::string model_source;
  std::string model_revision;
  // Of its prompts: "local:PATH", the name under `datasets:` of one that a stage fetches, or "" for
  // synthetic ones. No name has a colon.
  std::string dataset_source;
  std::int64_t warmup = 0;  // requests
  // A rule of the runner that does not hold.
  struct Broken {
    std::string rule;
    std::string why;  // in words, with the point's numbers
  };
  std::vector<Broken> rejections;  // of every rule that is known not to hold
  bool is_rejected() const { return !rejections.empty(); }
  // By rules of level warn. A rejected point has none, and rules that wait for a fact give none.
  std::vector<Broken> warnings;
  std::vector<std::string> notes;  // by rules of level note
  // `reader` needs the unknown `fact`: {"rule 'kv-heads'", "model_kv_heads"}.
  struct Waiting {
    std::string reader;
    std::string fact;
  };
  SharedList<Waiting> waiting;
  // Parameters whose value waits for a fact; their value in `parameters` is "{name}".
  SharedList<std::string> unknown;
  // Entries of the matrix's `provide` that apply; at most one for each stage.
  std::vector<std::size_t> provided;
  bool again = false;  // it is to be measured again
  // To the vocabulary's questions, in their order; k_no_answer: the answer waits for a fact.
  std::vector<double> answers;
};

inline constexpr double k_no_answer = std::numeric_limits<double>::quiet_NaN();

struct Expansion {
  // In the order of the axes, the last axis fastest; then those of `include`. Excluded
  // points are left out.
  std::vector<Point> points;
  std::size_t excluded = 0;
  std::size_t left_out = 0;  // by `where`
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // of rules of level note, each text once
};

// The dataset of POINT if a stage fetches it; else null.
const Dataset* fetched_dataset(const Matrix& matrix, const Point& point);

// "tp-heads: 28 heads on 8 ranks; memory: 140 GiB of 80 GiB"; "" for a point that is not rejected.
std::string rejections_text(const Point& point);

struct ExpandOptions {
  std::size_t points =
      1'000'000;  // product of the axes, before exclude; the matrix's own `limits: {points:}` wins
  std::string where;       // --where: only points for which this is true; "": all
  std::string again = {};  // --again: the points that are measured again; "": none
};

// A parameter's value comes from its axis, else from a `let` of its name, else from `defaults`,
// else from the runner's literal or expression. Appends to ERRORS, in the order of the file:
// unknown parameters (with a suggestion), wrong types or values, values that an axis repeats, axes
// that nothing reads, unknown models or stages, required parameters without a value, faulty
// expressions, NULL where an answer is required. With any error the expansion is empty. A matrix
// that has errors already is expanded to report further ones; none is reported twice.
Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& facts,
                 Errors& errors, const ExpandOptions& options = {});

}  // namespace orch::matrix
