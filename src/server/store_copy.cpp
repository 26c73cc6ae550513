#include "server/store_copy.hpp"

#include "base/quoted.hpp"
#include "data_folder/data_directory.hpp"
#include "files/private_file.hpp"
#include "stored_rows/store_image.hpp"
#include "stores/postgres/postgres_image.hpp"
#include "stores/sqlite/sqlite_image.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

constexpr std::string_view folder_scheme = "sqlite:";
constexpr const char* moved_mark = "store.moved";

std::unexpected<Error> wrong_place(const std::string& text) {
  auto error = fail(ErrorCode::invalid_argument, "{} is not a store", carillon::quoted(text));
  error.error().hint = "write sqlite:FOLDER (a data folder) or postgres://USER@HOST/DATABASE";
  return error;
}

/// One end of a copy.
struct Place {
  std::optional<DataDirectory> folder{};  // ours while we copy
  std::optional<postgres::StoreUrl> database{};

  [[nodiscard]] std::string text() const { return folder ? folder->path().string() : database->description; }
};

Result<Place> place_of(const std::string& text) {
  Place place;
  if (postgres::is_postgres_url(text)) {
    place.database = TRY(postgres::parse_store_url(text));
  } else if (text.starts_with(folder_scheme) && text.size() > folder_scheme.size()) {
    place.folder = TRY(DataDirectory::take(text.substr(folder_scheme.size())));
  } else {
    return wrong_place(text);
  }
  return place;
}

Result<std::string> run_id_key_of(const Place& place) {
  if (place.database) return PostgresImage::read_run_id_key(*place.database);
  return TRY(read_private_file(place.folder->run_id_key())).value_or("");
}

Result<std::unique_ptr<rows::ImageReader>> reader_of(const Place& place) {
  if (place.database) return PostgresImage::open_reader(*place.database);
  if (!std::filesystem::exists(place.folder->database()))
    return fail(ErrorCode::not_found, "no store found in {}", place.text());
  return SqliteImage::open_reader(place.folder->database());
}

Result<std::unique_ptr<rows::ImageWriter>> writer_of(const Place& place, const std::string& run_id_key) {
  if (place.database) return PostgresImage::open_writer(*place.database, run_id_key);
  TRY(place.folder->protect_database());
  return SqliteImage::open_writer(place.folder->database());
}

}  // namespace

Result<std::string> copy_store(const StoreCopyRequest& request) {
  // A folder that is not there is not made only to be found empty.
  if (request.from.starts_with(folder_scheme) &&
      !std::filesystem::is_directory(request.from.substr(folder_scheme.size())))
    return fail(ErrorCode::not_found, "there is no folder {}",
                carillon::quoted(request.from.substr(folder_scheme.size())));
  const Place from = TRY(place_of(request.from));
  const Place to = TRY(place_of(request.to));
  if (from.folder) TRY(expect_not_moved(from.folder->path().string()));
  const std::string key = TRY(run_id_key_of(from));
  const auto reader = TRY(while_doing(reader_of(from), "reading {}", from.text()));
  const auto writer = TRY(while_doing(writer_of(to, key), "writing {}", to.text()));
  std::string report;
  for (const rows::ImageTable& table : rows::image_tables()) {
    std::size_t count = 0;
    TRY(while_doing(reader->read_rows(table,
                                      [&](std::span<const rows::ImageRow> page) -> Result<> {
                                        count += page.size();
                                        return writer->write_rows(table, page);
                                      }),
                    "copying {}", table.name));
    if (count > 0) report += fmt::format("  {:<14} {:>10}\n", table.name, count);
  }
  // Before the rows: a store without its key would give runs other ids.
  if (to.folder && !key.empty()) TRY(write_private_file(to.folder->run_id_key(), key));
  TRY(while_doing(writer->finish(TRY(reader->read_counters())), "writing {}", to.text()));
  if (from.folder) TRY(write_private_file(from.folder->path() / moved_mark, fmt::format("moved to {}\n", to.text())));
  return fmt::format("copied {} to {}\n{}", from.text(), to.text(), report);
}

Result<> expect_not_moved(const std::string& folder) {
  const auto mark = std::filesystem::path{folder} / moved_mark;
  const auto note = TRY(read_private_file(mark));
  if (!note) return {};
  auto error = fail(ErrorCode::conflict, "the store of {} was {}", folder, note->substr(0, note->find('\n')));
  error.error().rule = "store-moved";
  error.error().hint = fmt::format(
      "use it there: carillon serve --store …; to go on here instead, and decide everything a second time, remove {}",
      mark.string());
  return error;
}

}  // namespace carillon
