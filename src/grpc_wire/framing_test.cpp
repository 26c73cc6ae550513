#include "grpc_wire/framing.hpp"

#include <gtest/gtest.h>

#include <zlib.h>

#include <string>

namespace carillon::grpc {
namespace {

constexpr std::size_t size_max = 1'000;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string input = text;
  std::string out(deflateBound(&stream, input.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string compressed_frame(const std::string& packed) {
  std::string body = framed(packed);
  body.front() = 1;
  return body;
}

StatusCode code_of(const std::expected<std::string, Status>& read) { return read ? StatusCode::ok : read.error().code; }

TEST(GrpcFraming, a_message_is_read_as_it_was_written) {
  EXPECT_EQ(read_message(framed("hello"), "", size_max), "hello");
  EXPECT_EQ(read_message(framed(""), "identity", size_max), "");
}

TEST(GrpcFraming, gzip_is_decompressed_also_of_nothing) {
  EXPECT_EQ(read_message(compressed_frame(gzipped("hello")), "gzip", size_max), "hello");
  EXPECT_EQ(read_message(compressed_frame(gzipped("")), "gzip", size_max), "");
}

TEST(GrpcFraming, a_message_that_grows_beyond_the_limit_is_refused_while_it_grows) {
  const auto read =
      read_message(compressed_frame(gzipped(std::string(100'000'000, 'a')).substr(0, 900)), "gzip", size_max);

  EXPECT_EQ(code_of(read), StatusCode::resource_exhausted);
  EXPECT_NE(read.error().message.find("after decompression"), std::string::npos) << read.error().message;
}

TEST(GrpcFraming, what_is_no_single_whole_message_is_refused) {
  EXPECT_EQ(code_of(read_message("", "", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message("\0\0\0", "", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message(framed("hello").substr(0, 8), "", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message(framed("hello") + framed("again"), "", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message(framed(std::string(1'001, 'x')), "", size_max)), StatusCode::resource_exhausted);
  EXPECT_EQ(code_of(read_message(compressed_frame("hello"), "", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message(compressed_frame("hello"), "gzip", size_max)), StatusCode::internal);
  EXPECT_EQ(code_of(read_message(compressed_frame(gzipped("hello") + "x"), "gzip", size_max)), StatusCode::internal);
}

TEST(GrpcFraming, an_unknown_compression_is_named_so_that_clients_send_it_plain) {
  const auto read = read_message(compressed_frame("hello"), "snappy", size_max);

  EXPECT_EQ(code_of(read), StatusCode::unimplemented);
  EXPECT_NE(read.error().message.find("grpc-encoding \"snappy\""), std::string::npos);
}

TEST(GrpcFraming, timeouts_are_read_in_all_units) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_timeout("1H"), 1h);
  EXPECT_EQ(parse_timeout("2M"), 2min);
  EXPECT_EQ(parse_timeout("10S"), 10s);
  EXPECT_EQ(parse_timeout("29999m"), 29'999ms);
  EXPECT_EQ(parse_timeout("5u"), 5us);
  EXPECT_EQ(parse_timeout("99999999n"), 99'999'999ns);
  for (const char* wrong : {"", "S", "10", "10s", "-1S", "123456789S", "1 S", "1.5S"})
    EXPECT_FALSE(parse_timeout(wrong)) << wrong;
}

TEST(GrpcFraming, text_and_bytes_get_through_headers) {
  EXPECT_EQ(percent_encoded("schedule \"x\" 100%\n"), "schedule \"x\" 100%25%0A");
  EXPECT_EQ(percent_encoded("ü"), "%C3%BC");
  EXPECT_EQ(base64_unpadded(""), "");
  EXPECT_EQ(base64_unpadded("f"), "Zg");
  EXPECT_EQ(base64_unpadded("fo"), "Zm8");
  EXPECT_EQ(base64_unpadded("foo"), "Zm9v");
  EXPECT_EQ(base64_unpadded("\xff\xfe"), "//4");
}

TEST(GrpcFraming, only_protobuf_messages_are_taken) {
  EXPECT_TRUE(is_grpc_content("application/grpc"));
  EXPECT_TRUE(is_grpc_content("application/grpc+proto"));
  EXPECT_TRUE(is_grpc_content("application/grpc;charset=utf-8"));
  EXPECT_FALSE(is_grpc_content("application/grpc-web"));
  EXPECT_FALSE(is_grpc_content("application/grpc+json"));
  EXPECT_FALSE(is_grpc_content("application/json"));
}

}  // namespace
}  // namespace carillon::grpc
