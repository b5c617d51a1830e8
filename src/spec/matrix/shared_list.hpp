// An immutable list that many points share. Knows no point.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace orch::matrix {

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

}  // namespace orch::matrix
