#include "base/packed.hpp"

#include <zstd.h>

#include <memory>

namespace orch {
namespace {

constexpr int k_level = 3;
constexpr std::size_t k_piece = 128 * 1024;

struct Free {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string pack(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), k_level);
  out.resize(ZSTD_isError(size) ? 0 : size);  // only ever for want of memory
  return out;
}

Result<std::string> unpack(std::string_view packed, std::size_t most) {
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  std::string out;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  // A frame says how long it will be, and may lie: what it really holds is counted.
  for (std::size_t left = 1; in.pos < in.size || left > 0;) {
    const std::size_t begin = out.size();
    if (begin > most) return invalid(fmt::format("unpacks to more than {} bytes", most));
    out.resize(begin + std::min(k_piece, most + 1 - begin));
    ZSTD_outBuffer piece{out.data() + begin, out.size() - begin, 0};
    left = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(left)) return invalid(fmt::format("cannot be unpacked: {}", ZSTD_getErrorName(left)));
    out.resize(begin + piece.pos);
    if (left > 0 && in.pos == in.size && piece.pos < piece.size) return invalid("cannot be unpacked: it is cut short");
  }
  if (out.size() > most) return invalid(fmt::format("unpacks to more than {} bytes", most));
  return out;
}

}  // namespace orch
