// Tables for people, and texts fitted to the width of a terminal.
#include "core/base/text.hpp"

#include <algorithm>

namespace orch {

namespace {

constexpr std::size_t k_gap = 2;            // between columns
constexpr std::size_t k_least_cell = 24;    // columns of text are not made narrower
constexpr std::size_t k_rows_of_page = 20;  // if longer, the header is repeated at the end

std::size_t g_columns = 0;  // of the terminal; 0: none

// A number, possibly followed by a mark or the half-width of its interval: "13.5*", "90.1 ±2.5".
bool is_marked_number(std::string_view cell) {
  std::string_view number = cell.substr(0, cell.find(" ±"));
  if (number.ends_with('*')) number.remove_suffix(1);
  return to_real(number).has_value();
}

// How many bytes of TEXT fit into COLUMNS; at least those of one code point.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t width = 0; at < text.size(); ++width) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    if (width >= columns && at > 0) break;
    at = next;
  }
  return at;
}

// TEXT in lines of at most COLUMNS; longer words are split.
std::vector<std::string> lines_within(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& line : split(wrapped(text, columns, 0), '\n')) {
    std::string_view rest = line;
    do {
      const std::size_t bytes = bytes_within(rest, columns);
      lines.emplace_back(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
    } while (!rest.empty());
  }
  return lines;
}

using Rows = std::vector<std::vector<std::string>>;

struct Column {
  std::size_t width = 0;
  bool is_number = false;
};

// A table with the widths in COLUMNS. HAS_END: the header is repeated at the end.
std::string print(const std::vector<std::string>& header, const Rows& rows,
                  const std::vector<Column>& columns, bool has_end) {
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = i < row.size() ? row[i] : "";
      cells.push_back(display_width(cell) <= columns[i].width
                          ? std::vector<std::string>{cell}
                          : lines_within(cell, columns[i].width));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t n = 0; n < height; ++n) {
      std::string text;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string cell = n < cells[i].size() ? cells[i][n] : "";
        const std::size_t width = columns[i].width;
        const std::string fill(width - std::min(width, display_width(cell)), ' ');
        if (i) text += std::string(k_gap, ' ');
        text += columns[i].is_number ? fill + cell : cell + fill;
      }
      out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
  };
  line(header);
  for (const auto& row : rows) line(row);
  if (has_end) line(header);
  return out;
}

// Splits a table wider than the terminal into tables that fit.
class Fold {
 public:
  Fold(const std::vector<std::string>& header, const Rows& rows, std::vector<Column> columns,
       std::size_t width)
      : header_(header), rows_(rows), columns_(std::move(columns)), width_(width) {}

  std::string text() {
    // If the first column leaves no room for another, it is printed only once, and every table
    // begins with the numbers of the rows instead.
    const std::size_t digits = std::to_string(rows_.size()).size();
    is_numbered_ = columns_.front().width + k_gap + k_least_cell > width_;
    key_width_ = is_numbered_ ? std::max<std::size_t>(1, digits) : columns_.front().width;
    used_ = key_width_;
    for (std::size_t i = is_numbered_ ? 0 : 1; i < columns_.size(); ++i) place(i);
    flush();
    return std::move(out_);
  }

 private:
  std::size_t room() const { return width_ - std::min(width_, used_ + k_gap); }

  void place(std::size_t i) {
    std::size_t width = columns_[i].width;
    const bool may_shrink = !columns_[i].is_number && width > k_least_cell;
    if (width > room() && may_shrink && room() >= k_least_cell) width = room();
    if (width > room()) {
      flush();
      width = std::min(width, room());
    }
    block_.push_back({i, width});
    used_ += k_gap + width;
  }

  void flush() {
    if (block_.empty()) return;
    std::vector<std::string> header = {is_numbered_ ? "#" : header_.front()};
    std::vector<Column> columns = {{key_width_, is_numbered_ || columns_.front().is_number}};
    for (const auto& [i, width] : block_) {
      header.push_back(header_[i]);
      columns.push_back({width, columns_[i].is_number});
    }
    Rows rows;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const auto cell = [&](std::size_t i) { return i < rows_[n].size() ? rows_[n][i] : ""; };
      auto& row = rows.emplace_back();
      row.push_back(is_numbered_ ? std::to_string(n + 1) : cell(0));
      for (const auto& [i, width] : block_) row.push_back(cell(i));
    }
    if (!out_.empty()) out_ += "\n";
    out_ += print(header, rows, columns, rows.size() > k_rows_of_page);
    block_.clear();
    used_ = key_width_;
  }

  const std::vector<std::string>& header_;
  const Rows& rows_;
  const std::vector<Column> columns_;
  const std::size_t width_;
  bool is_numbered_ = false;
  std::size_t key_width_ = 0, used_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> block_;  // columns and their widths
  std::string out_;
};

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  bool is_first = true;
  for (const std::string& line : split(text, '\n')) {
    if (!std::exchange(is_first, false)) out += '\n';
    if (display_width(line) <= columns) {
      out += line;
      continue;
    }
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string margin(std::min(begin + indent, columns / 2), ' ');
    std::string now = line.substr(0, begin);
    bool has_word = false;
    for (const std::string& word : split(std::string_view(line).substr(begin), ' ')) {
      if (has_word && display_width(now) + 1 + display_width(word) > columns) {
        out += now.substr(0, now.find_last_not_of(' ') + 1) + "\n";
        now = margin;
        has_word = false;
        if (word.empty()) continue;
      }
      now += (has_word ? " " : "") + word;
      has_word = true;
    }
    out += now;
  }
  return out;
}

void TextTable::fit(std::size_t columns) { g_columns = columns; }

std::size_t TextTable::columns() { return g_columns; }

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = printable_line(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<Column> columns;
  for (const std::string& cell : header_)
    columns.push_back({.width = display_width(cell), .is_number = !rows_.empty()});
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && i < columns.size(); ++i) {
      columns[i].width = std::max(columns[i].width, display_width(row[i]));
      if (!row[i].empty() && row[i] != "-" && !is_marked_number(row[i]))
        columns[i].is_number = false;
    }
  }
  std::size_t total = 0;
  for (const Column& column : columns) total += column.width + (total ? k_gap : 0);
  if (g_columns > 0 && total > g_columns)
    return Fold(header_, rows_, std::move(columns), g_columns).text();
  return print(header_, rows_, columns, g_columns > 0 && rows_.size() > k_rows_of_page);
}

}  // namespace orch
