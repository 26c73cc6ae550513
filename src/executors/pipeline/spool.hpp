#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"
#include "pipeline/reduction.hpp"
#include "pipeline/result.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Bytes that are kept in a file without a name: gone with this object, whatever becomes of the process. One thread's.
class Spool {
 public:
  /// In a folder that can be written to.
  [[nodiscard]] static Result<Spool> make(const std::filesystem::path& folder);

  [[nodiscard]] Result<> add(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// A part of it.
  [[nodiscard]] Result<std::string> read(std::uint64_t begin, std::size_t size) const;
  /// All of it, piece by piece.
  [[nodiscard]] Result<> read_all(const Sink& sink) const;

 private:
  explicit Spool(FileDescriptor file) : file_{std::move(file)} {}

  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

/// The results of a run, in the order of their places, however they come in. One thread's.
class ResultSpool {
 public:
  [[nodiscard]] static Result<ResultSpool> make(const std::filesystem::path& folder);

  [[nodiscard]] Result<> add(std::size_t place, const ItemResult& result);
  /// Goes through those that are there. What goes wrong is told by `failure`.
  void each(const std::function<void(const ItemResult&)>& take) const;
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Place {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;  // 0: there is none
  };
  explicit ResultSpool(Spool spool) : spool_{std::move(spool)} {}

  Spool spool_;
  std::vector<Place> places_;
  mutable std::optional<Error> failure_;
};

/// A result as JSON: `input`, `output`, `rawText`, `success`, `error`.
[[nodiscard]] boost::json::object document_of(const ItemResult& result);

}  // namespace carillon::pipeline
