#include "core/sql/packed.hpp"

#include <algorithm>

#include <zstd.h>

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
  out.resize(ZSTD_isError(size) ? 0 : size);  // fails only if out of memory
  return out;
}

Result<std::string> unpack(std::string_view packed, std::size_t most) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  // A frame states its size, which may be wrong, so the output is counted.
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

struct Packing::Writer {
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(),
                                                                  &ZSTD_freeCCtx};
  std::string piece = std::string(k_piece, '\0');

  std::string take(std::string_view text, ZSTD_EndDirective end) {
    std::string out;
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    for (std::size_t left = 1; in.pos < in.size || (end == ZSTD_e_end && left > 0);) {
      ZSTD_outBuffer to{piece.data(), piece.size(), 0};
      left = ZSTD_compressStream2(context.get(), &to, &in, end);
      if (ZSTD_isError(left)) break;  // only if out of memory
      out.append(piece, 0, to.pos);
    }
    return out;
  }
};

Packing::Packing() : writer_(new Writer) {
  ZSTD_CCtx_setParameter(writer_->context.get(), ZSTD_c_compressionLevel, k_level);
}
Packing::Packing(Packing&&) noexcept = default;
Packing::~Packing() = default;

std::string Packing::add(std::string_view text) { return writer_->take(text, ZSTD_e_continue); }
std::string Packing::finish() { return writer_->take({}, ZSTD_e_end); }

struct Unpacking::Reader {
  Source source;
  std::size_t most;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string packed = {}, text = std::string(k_piece, '\0');
  std::uint64_t offset = 0;  // of the first byte that has not been read
  ZSTD_inBuffer in{packed.data(), 0, 0};
  std::size_t bytes = 0, left = 1;

  Status read() {
    ORCH_ASSIGN(packed, source(offset, k_piece));
    offset += packed.size();
    in = {packed.data(), packed.size(), 0};
    return {};
  }
};

Unpacking::Unpacking(Source source, std::size_t most)
    : reader_(new Reader{.source = std::move(source), .most = most}) {}
Unpacking::Unpacking(Unpacking&&) noexcept = default;
Unpacking::~Unpacking() = default;

Result<std::string_view> Unpacking::next() {
  Reader& from = *reader_;
  while (true) {
    if (from.in.pos == from.in.size) ORCH_TRY(from.read());
    const bool ended = from.in.size == 0;
    if (ended && from.left == 0) return std::string_view();
    ZSTD_outBuffer out{from.text.data(), from.text.size(), 0};
    from.left = ZSTD_decompressStream(from.context.get(), &out, &from.in);
    if (ZSTD_isError(from.left)) return damaged(from.left);
    if (ended && out.pos == 0) return cut_short();
    from.bytes += out.pos;
    if (from.bytes > from.most) return too_much(from.most);
    if (out.pos > 0) return std::string_view(from.text.data(), out.pos);
  }
}

void PackedLines::take(std::string& line, std::size_t size) {
  const std::size_t room = longest_ - line.size();
  cut_ = cut_ || size > room;
  line.append(rest_.substr(0, std::min(size, room)));
  rest_.remove_prefix(size);
}

Result<bool> PackedLines::next(std::string& line) {
  line.clear();
  cut_ = false;
  for (bool begun = false;; begun = true) {
    if (rest_.empty()) {
      ORCH_ASSIGN(rest_, blocks_.next());
      if (rest_.empty()) return begun;
    }
    const std::size_t end = rest_.find('\n');
    take(line, std::min(end, rest_.size()));
    if (end == std::string_view::npos) continue;
    rest_.remove_prefix(1);
    return true;
  }
}

}  // namespace orch
