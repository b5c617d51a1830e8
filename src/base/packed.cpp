#include "base/packed.hpp"

#include <zstd.h>

#include <algorithm>

namespace orch {
namespace {

constexpr int k_level = 3;
constexpr std::size_t k_piece = 128 * 1024;

using FreeContext = std::size_t (*)(ZSTD_DCtx*);

Error too_much(std::size_t most) {
  return invalid(fmt::format("unpacks to more than {} bytes", most));
}
Error cut_short() { return invalid("cannot be unpacked: it is truncated"); }
Error damaged(std::size_t code) {
  return invalid(fmt::format("cannot be unpacked: {}", ZSTD_getErrorName(code)));
}

}  // namespace

std::string pack(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), k_level);
  out.resize(ZSTD_isError(size) ? 0 : size);  // fails only without memory
  return out;
}

Result<std::string> unpack(std::string_view packed, std::size_t most) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  // A frame states its size, which may be wrong: the bytes that come out are counted.
  for (std::size_t left = 1; in.pos < in.size || left > 0;) {
    const std::size_t begin = out.size();
    if (begin > most) return too_much(most);
    out.resize(begin + std::min(k_piece, most + 1 - begin));
    ZSTD_outBuffer piece{out.data() + begin, out.size() - begin, 0};
    left = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(left)) return damaged(left);
    out.resize(begin + piece.pos);
    if (left > 0 && in.pos == in.size && piece.pos < piece.size) return cut_short();
  }
  if (out.size() > most) return too_much(most);
  return out;
}

struct PackedLines::Reader {
  Source source;
  std::size_t longest, most;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string packed = {}, text = std::string(k_piece, '\0');
  std::uint64_t offset = 0;  // of the first byte that has not been read
  ZSTD_inBuffer in{packed.data(), 0, 0};
  std::string_view rest = {};  // the part of TEXT that next() has not returned yet
  std::size_t bytes = 0, left = 1;
  bool cut = false;

  Status read() {
    ORCH_ASSIGN(packed, source(offset, k_piece));
    offset += packed.size();
    in = {packed.data(), packed.size(), 0};
    return {};
  }

  // Reads more of the text into REST. False at the end.
  Result<bool> fill() {
    while (true) {
      if (in.pos == in.size) ORCH_TRY(read());
      const bool ended = in.size == 0;
      if (ended && left == 0) return false;
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left)) return damaged(left);
      if (ended && out.pos == 0) return cut_short();
      bytes += out.pos;
      if (bytes > most) return too_much(most);
      rest = {text.data(), out.pos};
      if (!rest.empty()) return true;
    }
  }

  void take(std::string& line, std::size_t size) {
    const std::size_t room = longest - line.size();
    cut = cut || size > room;
    line.append(rest.substr(0, std::min(size, room)));
    rest.remove_prefix(size);
  }
};

PackedLines::PackedLines(Source source, std::size_t longest, std::size_t most)
    : reader_(new Reader{.source = std::move(source), .longest = longest, .most = most}) {}
PackedLines::PackedLines(PackedLines&&) noexcept = default;
PackedLines::~PackedLines() = default;

Result<bool> PackedLines::next(std::string& line) {
  line.clear();
  reader_->cut = false;
  for (bool begun = false;; begun = true) {
    if (reader_->rest.empty()) {
      ORCH_ASSIGN(const bool more, reader_->fill());
      if (!more) return begun;
    }
    const std::size_t end = reader_->rest.find('\n');
    reader_->take(line, std::min(end, reader_->rest.size()));
    if (end == std::string_view::npos) continue;
    reader_->rest.remove_prefix(1);
    return true;
  }
}

bool PackedLines::cut() const { return reader_->cut; }

}  // namespace orch
