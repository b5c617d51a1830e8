// The points of an expansion. A million of them differ in a few numbers, so they are stored by
// column; a point and its name are assembled on demand.
#pragma once

#include "spec/matrix/parameter.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orch::matrix {

// An immutable list shared by many points.

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

  bool operator==(const SharedList& other) const {
    return list_ == other.list_ || std::ranges::equal(*this, other);
  }
  bool operator<(const SharedList& other) const {
    return std::ranges::lexicographical_compare(*this, other);
  }

 private:
  std::shared_ptr<const std::vector<T>> list_;  // null: empty
};

inline constexpr double k_no_answer = std::numeric_limits<double>::quiet_NaN();

// One full assignment of parameters.
struct Point {
  std::string name;       // axis values + six or more characters of a hash over its own parameters
  Parameters parameters;  // every parameter that has a value, including `let` columns
  std::string model;      // its name under `models:`; "" if the runner has no parameter `model`
  std::string model_source;
  std::string model_revision;
  // Source of its prompts: "local:PATH"; the name under `datasets:` of a dataset that a stage
  // fetches, which contains no colon; or "" for synthetic prompts.
  std::string dataset_source;
  std::int64_t warmup = 0;  // requests
  // A violated rule of the runner.
  struct Broken {
    std::string rule;
    std::string why;  // explanation with the point's numbers

    auto operator<=>(const Broken&) const = default;
  };
  std::vector<Broken> rejections;  // of every rule that is known to be violated
  bool is_rejected() const { return !rejections.empty(); }
  // Violated rules of level warn; none for a rejected point, and none that wait for a fact.
  std::vector<Broken> warnings;
  std::vector<std::string> notes;  // from rules of level note
  // `reader` needs the unknown `fact`: {"rule 'kv-heads'", "model_kv_heads"}.
  struct Waiting {
    std::string reader;
    std::string fact;

    auto operator<=>(const Waiting&) const = default;
  };
  SharedList<Waiting> waiting;
  // Parameters whose value waits for a fact; in `parameters` their value is "{name}".
  SharedList<std::string> unknown;
  // Entries of the matrix's `provide` that apply; at most one per stage.
  std::vector<std::size_t> provided;
  bool again = false;  // it is to be measured again
  // Answers to the vocabulary's questions, in order; k_no_answer: the answer waits for a fact.
  std::vector<double> answers;
};
// "tp-heads: 28 heads on 8 ranks; memory: 140 GiB of 80 GiB"; "" for a point that is not rejected.
std::string rejections_text(const Point& point);

// The violated rules of a runner for a point.
struct Verdict {
  SharedList<Point::Broken> rejections;
  SharedList<Point::Broken> warnings;
  SharedList<std::string> notes;

  std::weak_ordering operator<=>(const Verdict&) const = default;
};

class PointBlock;

// An immutable list of points, cheap to copy. Returned references point into the list.
class Points {
 public:
  class Iterator;
  using value_type = Point;
  using const_iterator = Iterator;

  Points() = default;
  explicit Points(std::shared_ptr<const PointBlock> block);

  // Appends the points of MORE.
  void append(Points more);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Point operator[](std::size_t index) const;
  // Throws std::out_of_range.
  Point at(std::size_t index) const;
  Point front() const { return (*this)[0]; }
  std::vector<Point> all() const;
  Iterator begin() const;
  Iterator end() const;

  // The name and the parameters of one point, without assembling the point.
  std::string name(std::size_t index) const;
  Parameters parameters(std::size_t index) const;
  const Verdict& verdict(std::size_t index) const;
  bool is_rejected(std::size_t index) const { return !verdict(index).rejections.empty(); }
  const SharedList<Point::Waiting>& waiting(std::size_t index) const;

 private:
  struct Part {
    std::shared_ptr<const PointBlock> block;
    std::size_t end;  // the index after its last point
  };
  // The block of point INDEX, and its position there.
  std::pair<const PointBlock*, std::size_t> place_of(std::size_t index) const;

  std::vector<Part> parts_;
};

class Points::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Point;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Point;

  Iterator() = default;
  Iterator(const Points& of, std::size_t at) : of_(&of), at_(at) {}
  Point operator*() const { return (*of_)[at_]; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  const Points* of_ = nullptr;
  std::size_t at_ = 0;
};

inline Points::Iterator Points::begin() const { return {*this, 0}; }
inline Points::Iterator Points::end() const { return {*this, size()}; }

}  // namespace orch::matrix
