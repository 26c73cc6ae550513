#pragma once

#include "base/error.hpp"
#include "executors/pipeline/provider.hpp"
#include "files/file_descriptor.hpp"
#include "pipeline/reduction.hpp"
#include "pipeline/result.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// What the question about one item has used. None: not known, or it was about several items.
struct ItemUsage {
  Usage usage{};
  std::optional<double> cost{};
  friend bool operator==(const ItemUsage&, const ItemUsage&) = default;
};

/// The results of a run, in the order of their places, however they come in. Copies share them, so that they can be
/// read while the run goes on. May be used from several threads.
class ResultSpool {
 public:
  [[nodiscard]] static Result<ResultSpool> make(const std::filesystem::path& folder);

  [[nodiscard]] Result<> add(std::size_t place, const ItemResult& result, const ItemUsage& usage = {});
  /// Goes through those that are there. What goes wrong is told by `failure`.
  void each(const std::function<void(const ItemResult&)>& take) const;
  void each(const std::function<void(const ItemResult&, const ItemUsage&)>& take) const;
  [[nodiscard]] std::optional<Error> failure() const;

  /// A result as `document_of` writes it, with its place.
  struct Entry {
    std::size_t place = 0;
    std::string text{};
  };
  enum class Choice : std::uint8_t { all, succeeded, failed };
  /// The first result from a place on; none if none has come in.
  [[nodiscard]] Result<std::optional<Entry>> next(std::size_t from, Choice choice = Choice::all) const;

 private:
  struct Place {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;  // 0: there is none
    bool is_success = false;
  };
  struct Shared {
    explicit Shared(Spool opened) : spool{std::move(opened)} {}
    mutable std::mutex mutex;
    // Guarded.
    Spool spool;
    std::vector<Place> places;
    std::optional<Error> failure;
  };
  explicit ResultSpool(std::shared_ptr<Shared> shared) : shared_{std::move(shared)} {}

  std::shared_ptr<Shared> shared_;  // with readers that may stay longer than the run
};

/// A result as JSON: `input`, `output`, `rawText`, `success`, `error`, `inputTokens`, `outputTokens`, `cost`.
[[nodiscard]] boost::json::object document_of(const ItemResult& result, const ItemUsage& usage = {});

}  // namespace carillon::pipeline
