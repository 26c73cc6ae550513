#include "docs_site/pack.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstddef>
#include <string_view>

namespace carillon::docs_site {
namespace {

std::string gzip_of(std::string_view bytes) {
  constexpr int gzip_window = 15 + 16;  // the largest window, and the header of gzip rather than that of zlib
  z_stream stream{};
  CARILLON_ASSERT(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string compressed(deflateBound(&stream, bytes.size()), '\0');
  std::string copy{bytes};  // zlib asks for bytes that it could change
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  CARILLON_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

}  // namespace

std::string pack_of(std::span<const SiteFile> files) {
  std::string list = "carillon pages 1\n";
  std::string bytes;
  for (const SiteFile& file : files) {
    std::string compressed = gzip_of(file.bytes);
    if (compressed.size() * 10 > file.bytes.size() * 9) compressed.clear();
    list += fmt::format("{}\t{}\t{}\t{}\t{}\n", file.path, file.type, sha256_hex(file.bytes).substr(0, 16),
                        file.bytes.size(), compressed.size());
    bytes += file.bytes;
    bytes += compressed;
  }
  return list + "\n" + bytes;
}

}  // namespace carillon::docs_site
