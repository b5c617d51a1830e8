#include "core/base/result.hpp"

#include <cstring>
#include <tuple>

namespace orch {

std::string to_string(const Location& location) {
  if (location.line == 0) return location.file;
  if (location.column == 0) return fmt::format("{}:{}", location.file, location.line);
  return fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

void Places::add_piece(std::size_t offset, int line, int column) {
  if (offset == 0) {
    first_.line = line;
    first_.column = column;
  } else {
    pieces_.push_back({offset, line, column});
  }
}

Location Places::at(std::size_t offset) const {
  Location place = first_;
  std::size_t begin = 0;
  for (const Piece& piece : pieces_) {
    if (piece.offset > offset) break;
    place.line = piece.line;
    place.column = piece.column;
    begin = piece.offset;
  }
  if (place.column > 0) place.column += static_cast<int>(offset - begin);
  return place;
}

std::string Error::text() const {
  if (where.file.empty()) return message;
  return to_string(where) + ": " + message;
}

Error Error::within(std::string_view context) const {
  Error outer = *this;
  outer.message = fmt::format("{}: {}", context, message);
  return outer;
}

void sort_by_place(Errors& errors, std::size_t first) {
  std::map<std::string, std::size_t> files;
  for (std::size_t i = first; i < errors.size(); ++i)
    files.try_emplace(errors[i].where.file, files.size());
  std::stable_sort(errors.begin() + static_cast<std::ptrdiff_t>(first), errors.end(),
                   [&files](const Error& a, const Error& b) {
                     return std::tuple(files.at(a.where.file), a.where.line, a.where.column) <
                            std::tuple(files.at(b.where.file), b.where.line, b.where.column);
                   });
}

bool keep_readable(Errors& errors, std::size_t first) {
  constexpr std::size_t k_most = 200;
  std::map<std::string, std::size_t> found;
  Errors kept(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<std::size_t> ends;  // the indices in KEPT of the errors "... and N more"
  for (std::size_t i = first; i < errors.size(); ++i) {
    const std::size_t number = ++found[errors[i].where.file];
    if (number > k_most + 1) continue;
    if (number == k_most + 1) ends.push_back(kept.size());
    kept.push_back(std::move(errors[i]));
  }
  for (const std::size_t end : ends)
    kept[end].message = fmt::format("... and {} more", found.at(kept[end].where.file) - k_most);
  errors = std::move(kept);
  return !ends.empty();
}

Error invalid(std::string message, Location where) {
  return Error{
      .kind = ErrorKind::invalid, .message = std::move(message), .where = std::move(where)};
}

Error not_found(std::string message) { return {ErrorKind::not_found, std::move(message)}; }

Error unavailable(std::string message) { return {ErrorKind::unavailable, std::move(message)}; }

Error io_error(std::string_view what, std::string_view thing, int error_number) {
  return Error{.kind = error_number == ENOENT ? ErrorKind::not_found : ErrorKind::io,
               .message = fmt::format("cannot {} {}: {}", what, thing, std::strerror(error_number)),
               .where = {},
               .number = error_number};
}

}  // namespace orch
