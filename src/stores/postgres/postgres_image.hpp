#pragma once

#include "stored_rows/store_image.hpp"
#include "stores/postgres/store_url.hpp"

#include <memory>

namespace carillon {

/// The shared store as an image.
class PostgresImage {
 public:
  /// Refused (conflict, rule `store-in-use`) while servers use it.
  [[nodiscard]] static Result<std::unique_ptr<rows::ImageReader>> open_reader(const postgres::StoreUrl& url);
  /// The schema must be there (`carillon store migrate`) and empty. `run_id_key` is the key of the ids of runs.
  [[nodiscard]] static Result<std::unique_ptr<rows::ImageWriter>> open_writer(const postgres::StoreUrl& url,
                                                                              const std::string& run_id_key);
  /// The key of the ids of runs; empty: there is none yet.
  [[nodiscard]] static Result<std::string> read_run_id_key(const postgres::StoreUrl& url);
};

}  // namespace carillon
