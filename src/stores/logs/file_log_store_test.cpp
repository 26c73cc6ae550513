#include "stores/logs/file_log_store.hpp"

#include "stores/logs/log_text.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace carillon {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr OutputStream out = OutputStream::out;
constexpr OutputStream error = OutputStream::error;
constexpr std::size_t plenty = 100'000'000;
constexpr Uid uid{0xAB};
constexpr AttemptKey first{.run = Seq{7}, .attempt = 1};

class FileLogs : public testing::Test {
 protected:
  fs::path folder() const { return temporary_.path() / "logs"; }
  fs::path file() const { return folder() / "ab" / "7-1.log"; }

  std::unique_ptr<FileLogStore> open(const FileLogOptions& options = {}) const {
    return FileLogStore::open(folder(), options).value();
  }

  std::string bytes_of(const fs::path& path) const {
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

  static std::string text_of(FileLogStore& store, const AttemptKey& key = first) {
    return store.read(uid, key, 0, plenty).value().bytes;
  }

  TemporaryFolder temporary_;
};

mode_t mode_of(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

std::size_t open_file_count() {
  const fs::directory_iterator all{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(FileLogs, hold_what_was_printed) {
  const auto store = open();
  store->append(uid, first, out, "one\n");
  store->append(uid, first, error, "two\n");
  ASSERT_TRUE(store->close(uid, first));

  const LogPage page = store->read(uid, first, 0, plenty).value();

  EXPECT_EQ(page.bytes, "one\ntwo\n");
  EXPECT_EQ(page.next_offset, 8);
  EXPECT_TRUE(page.is_at_end);
  EXPECT_FALSE(page.is_truncated);
  EXPECT_EQ(bytes_of(file()), "one\n\0etwo\n\0."s);
}

TEST_F(FileLogs, are_read_while_they_are_written) {
  const auto store = open();
  store->append(uid, first, out, "one\n");

  const LogPage begun = store->read(uid, first, 0, plenty).value();
  store->append(uid, first, out, "two\n");
  const LogPage more = store->read(uid, first, begun.next_offset, plenty).value();

  EXPECT_EQ(begun.bytes, "one\n");
  EXPECT_FALSE(begun.is_at_end);
  EXPECT_EQ(more.bytes, "two\n");
  EXPECT_FALSE(more.is_at_end);
}

TEST_F(FileLogs, are_read_by_pages) {
  const auto store = open();
  store->append(uid, first, out, "0123456789");
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_EQ(store->read(uid, first, 3, 4)->bytes, "3456");
  EXPECT_EQ(store->read(uid, first, 3, 4)->next_offset, 7);
  EXPECT_FALSE(store->read(uid, first, 3, 4)->is_at_end);
  EXPECT_FALSE(store->read(uid, first, -1, 4));
}

TEST_F(FileLogs, that_do_not_exist_are_not_found) {
  const auto store = open();
  store->append(uid, first, out, "");
  EXPECT_TRUE(store->close(uid, first));

  for (const AttemptKey& key : {first, AttemptKey{.run = Seq{7}, .attempt = 2}}) {
    const auto page = store->read(uid, key, 0, plenty);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().code, ErrorCode::not_found);
  }
}

TEST_F(FileLogs, are_for_the_eyes_of_the_server_only) {
  const mode_t mask = ::umask(0);
  const auto store = open();
  store->append(uid, first, out, "x");
  ::umask(mask);

  EXPECT_EQ(mode_of(folder()), 0700U);
  EXPECT_EQ(mode_of(folder() / "ab"), 0700U);
  EXPECT_EQ(mode_of(file()), 0600U);
}

TEST_F(FileLogs, are_not_kept_where_others_may_write) {
  fs::create_directory(folder());
  fs::permissions(folder(), fs::perms::all);
  const auto store = FileLogStore::open(folder());

  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("chmod 700"));
  fs::remove(folder());
  fs::create_directory_symlink(temporary_.path(), folder());
  EXPECT_FALSE(FileLogStore::open(folder()));
}

TEST_F(FileLogs, are_not_written_through_links) {
  const auto store = open();
  fs::create_directory(temporary_.path() / "other");
  temporary_.write("victim", "untouched");
  fs::create_directory_symlink(temporary_.path() / "other", folder() / "ab");
  fs::create_directory(folder() / "ac");
  fs::create_symlink(temporary_.path() / "victim", folder() / "ac" / "7-1.log");

  store->append(uid, first, out, "x");
  store->append(Uid{0xAC}, first, out, "x");

  EXPECT_FALSE(store->close(uid, first));
  EXPECT_FALSE(store->close(Uid{0xAC}, first));
  EXPECT_TRUE(fs::is_empty(temporary_.path() / "other"));
  EXPECT_EQ(bytes_of(temporary_.path() / "victim"), "untouched");
}

TEST_F(FileLogs, are_not_written_to_what_is_no_file) {
  const auto store = open();
  fs::create_directory(folder() / "ab");
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);

  store->append(uid, first, out, "x");

  EXPECT_EQ(text_of(*store), "x") << "from memory";
  EXPECT_FALSE(store->close(uid, first));
}

TEST_F(FileLogs, keep_beginning_and_end_of_what_is_too_long) {
  const auto store = open({.head_size_max = 4, .tail_size_max = 4});
  for (const std::string_view bytes : {"01", "23456", "789abcdef", "g"}) store->append(uid, first, out, bytes);
  const LogPage live = store->read(uid, first, 0, plenty).value();
  ASSERT_TRUE(store->close(uid, first));

  const LogPage page = store->read(uid, first, 0, plenty).value();

  EXPECT_EQ(page.bytes, "0123\n… 9 bytes left out …\ndefg");
  EXPECT_TRUE(page.is_truncated);
  EXPECT_TRUE(page.is_at_end);
  EXPECT_EQ(page.next_offset, 17);
  EXPECT_EQ(live.bytes, page.bytes);
  EXPECT_TRUE(live.is_truncated);
  EXPECT_FALSE(live.is_at_end);
}

TEST_F(FileLogs, leave_nothing_out_of_what_just_fits) {
  const auto store = open({.head_size_max = 4, .tail_size_max = 4});
  store->append(uid, first, error, "01234567");
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_EQ(text_of(*store), "01234567");
  EXPECT_FALSE(store->read(uid, first, 0, plenty)->is_truncated);
  EXPECT_EQ(bytes_of(file()), "\0e01234567\0."s);
}

TEST_F(FileLogs, tell_the_streams_apart_in_the_tail_too) {
  const auto store = open({.head_size_max = 2, .tail_size_max = 4});
  store->append(uid, first, error, "01");
  store->append(uid, first, out, "2345");
  store->append(uid, first, error, "67");
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_EQ(bytes_of(file()), "\0e01\0-\n… 2 bytes left out …\n\0o45\0e67\0."s);
}

TEST_F(FileLogs, can_be_followed_while_their_middle_is_left_out) {
  const auto store = open({.head_size_max = 4, .tail_size_max = 4});
  store->append(uid, first, out, "012345");
  const LogPage before = store->read(uid, first, 0, plenty).value();
  store->append(uid, first, out, "6789abcd");

  const LogPage after = store->read(uid, first, before.next_offset, plenty).value();

  EXPECT_EQ(before.bytes, "012345");
  EXPECT_EQ(after.bytes, "\n… 4 bytes left out …\nabcd");
  EXPECT_EQ(after.next_offset, 14);
}

TEST_F(FileLogs, stay_small_on_disk_and_in_memory_whatever_is_printed) {
  const auto store = open();
  const std::string block = std::string(63 * 1024, 'x') + std::string(1024, '\0');
  const auto memory_before = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;

  for (int i = 0; i < 3'200; ++i) store->append(uid, first, i % 2 == 0 ? out : error, block);
  const auto memory_after = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_LT(memory_after, memory_before + 1024 * 1024);
  EXPECT_LT(fs::file_size(file()), 1'200U * 1024U);
  const LogPage page = store->read(uid, first, 0, plenty).value();
  EXPECT_EQ(page.next_offset, 3'200 * 64 * 1024);
  EXPECT_THAT(page.bytes, HasSubstr("\n… 208666624 bytes left out …\n"));
}

TEST_F(FileLogs, take_nothing_more_after_their_end) {
  const auto store = open();
  store->append(uid, first, out, "x");
  ASSERT_TRUE(store->close(uid, first));

  store->append(uid, first, out, "late");

  EXPECT_EQ(text_of(*store), "x");
  EXPECT_TRUE(store->read(uid, first, 0, plenty)->is_at_end);
  EXPECT_TRUE(store->close(uid, first));
}

TEST_F(FileLogs, of_a_server_that_died_keep_their_beginning) {
  open()->append(uid, first, error, "begun");
  const auto store = open();

  const LogPage page = store->read(uid, first, 0, plenty).value();

  EXPECT_EQ(page.bytes, "begun");
  EXPECT_TRUE(page.is_at_end);
}

TEST_F(FileLogs, of_a_server_that_died_can_be_gone_on_with) {
  open({.head_size_max = 8})->append(uid, first, error, "begun");
  std::ofstream{file(), std::ios::binary | std::ios::app} << '\0';  // half a mark
  const auto store = open({.head_size_max = 8});

  store->append(uid, first, out, "+more");
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_EQ(text_of(*store), "begun+more");
  EXPECT_EQ(bytes_of(file()), "\0ebegun\0o+more\0."s);
}

TEST_F(FileLogs, that_were_damaged_are_read_as_far_as_they_are_sound) {
  const auto store = open();
  temporary_.write("logs/ab/7-1.log", "sound\0?garbage"s);

  EXPECT_EQ(text_of(*store), "sound");
}

TEST_F(FileLogs, are_removed_run_by_run) {
  const auto store = open();
  const AttemptKey second{.run = Seq{7}, .attempt = 2};
  const AttemptKey other{.run = Seq{77}, .attempt = 1};
  for (const AttemptKey& key : {first, second, other}) store->append(uid, key, out, "x");
  ASSERT_TRUE(store->close(uid, first));

  ASSERT_TRUE(store->remove(uid, {Seq{7}, Seq{8}}));

  EXPECT_FALSE(store->read(uid, first, 0, plenty));
  EXPECT_FALSE(store->read(uid, second, 0, plenty));
  EXPECT_EQ(text_of(*store, other), "x");
  ASSERT_TRUE(store->remove(uid, {Seq{77}}));
  EXPECT_TRUE(fs::is_empty(folder()));
  EXPECT_TRUE(store->remove(uid, {Seq{77}}));
}

TEST_F(FileLogs, that_were_removed_can_be_written_anew) {
  const auto store = open();
  store->append(uid, first, out, "old");
  ASSERT_TRUE(store->remove(uid, {Seq{7}}));

  store->append(uid, first, out, "new");
  ASSERT_TRUE(store->close(uid, first));

  EXPECT_EQ(text_of(*store), "new");
}

TEST_F(FileLogs, of_thousands_of_attempts_need_few_descriptors) {
  const auto store = open({.open_file_count_max = 16});
  const std::size_t before = open_file_count();

  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2'000; ++i)
      store->append(uid, {.run = Seq{i}, .attempt = 1}, round == 0 ? out : error, "round " + std::to_string(round));
  }

  EXPECT_LE(open_file_count(), before + 16);
  for (int i = 0; i < 2'000; i += 97) EXPECT_EQ(text_of(*store, {.run = Seq{i}, .attempt = 1}), "round 0round 1");
}

TEST_F(FileLogs, take_output_from_several_threads) {
  const auto store = open({.head_size_max = 1'000, .tail_size_max = 1'000, .open_file_count_max = 2});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&store, i] {
        const AttemptKey key{.run = Seq{i}, .attempt = 1};
        for (int line = 0; line < 500; ++line) {
          store->append(uid, key, out, std::to_string(line) + "\n");
          EXPECT_TRUE(store->read(uid, {.run = Seq{i}, .attempt = 1}, 0, plenty));
        }
        EXPECT_TRUE(store->close(uid, key));
      });
    }
  }

  for (int i = 0; i < 4; ++i) {
    const LogPage page = store->read(uid, {.run = Seq{i}, .attempt = 1}, 0, plenty).value();
    EXPECT_TRUE(page.bytes.starts_with("0\n1\n2\n"));
    EXPECT_TRUE(page.bytes.ends_with("498\n499\n"));
    EXPECT_EQ(page.next_offset, 10 * 2 + 90 * 3 + 400 * 4);
  }
}

/// No file may grow beyond a size while this lives: to the writer it is a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size_max) {
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{.rlim_cur = size_max, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(FileLogs, on_a_disk_that_was_full_for_a_while_say_so_and_lose_nothing_that_memory_holds) {
  const auto store = open();
  {
    const FullDisk full{100};
    for (int i = 0; i < 10; ++i) store->append(uid, first, out, std::string(30, static_cast<char>('0' + i)));
    EXPECT_EQ(fs::file_size(file()), 90U);
    EXPECT_EQ(text_of(*store).size(), 300U);
  }

  const auto closed = store->close(uid, first);

  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, ErrorCode::unavailable);
  EXPECT_EQ(closed.error().message, "cannot write a log: File too large");
  const LogPage page = store->read(uid, first, 0, plenty).value();
  EXPECT_EQ(page.bytes.size(), 300U);
  EXPECT_FALSE(page.is_truncated);
}

TEST_F(FileLogs, on_a_disk_that_stays_full_say_how_much_is_missing) {
  const auto store = open();
  {
    const FullDisk full{140};
    store->append(uid, first, out, std::string(90, 'a'));
    store->append(uid, first, out, std::string(210, 'b'));
    EXPECT_FALSE(store->close(uid, first));
  }

  const LogPage page = store->read(uid, first, 0, plenty).value();

  EXPECT_EQ(page.bytes, fmt::format("{}\n… 210 bytes left out …\n", std::string(90, 'a')));
  EXPECT_EQ(page.next_offset, 300);
  EXPECT_TRUE(page.is_truncated);
  EXPECT_TRUE(page.is_at_end);
}

TEST_F(FileLogs, trims_the_oldest_ones_and_knows_that_they_were_there) {
  const auto store = open();
  const auto key_of = [](std::int64_t run) { return AttemptKey{.run = Seq{run}, .attempt = 1}; };
  for (std::int64_t run = 1; run <= 9; ++run) {
    store->append(uid, key_of(run), out, "x");
    ASSERT_TRUE(store->close(uid, key_of(run)));
  }

  // A file takes a block of the disk at least; the newest two are not counted.
  ASSERT_TRUE(store->trim(uid, Seq{7}, 3 * 4096));

  for (std::int64_t run = 1; run <= 4; ++run)
    EXPECT_EQ(store->read(uid, key_of(run), 0, plenty).error().rule, log_removed_rule) << run;
  for (std::int64_t run = 5; run <= 9; ++run) EXPECT_EQ(text_of(*store, key_of(run)), "x") << run;
  EXPECT_NE(store->read(uid, key_of(10), 0, plenty).error().rule, log_removed_rule) << "it has never printed";
}

TEST_F(FileLogs, leaves_no_folder_behind_when_the_last_one_is_removed_after_a_trim) {
  const auto store = open();
  store->append(uid, first, out, "x");
  ASSERT_TRUE(store->close(uid, first));
  ASSERT_TRUE(store->trim(uid, first.run, 0));

  ASSERT_TRUE(store->remove(uid, {first.run}));

  EXPECT_FALSE(fs::exists(folder() / "ab"));
}

}  // namespace
}  // namespace carillon
