#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace carillon::simulation {

/// What SQLite writes its files to: a layer over the file system of the machine, which stands in for it in this
/// process. It can be full, it can fail, and when the power goes it forgets what was not synchronised. There is one,
/// since SQLite knows its file systems by name.
class SimulatedDisk {
 public:
  /// From the first call on, SQLite files that are opened are on it.
  [[nodiscard]] static SimulatedDisk& instance();
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  void set_full(bool is_full);
  /// The share of writes and synchronisations that fails, drawn from the seed; zero: none.
  void set_failing(double rate, std::uint64_t seed);

  /// Whether it says that something is synchronised when it is not: what no promise survives.
  void set_lying(bool is_lying);

  /// Nothing reaches the files any more, as if the machine was off.
  void cut_power();
  /// The machine is on again. Of what was not synchronised, the first `kept` share of writes has reached the files.
  /// Nobody may have them open.
  void restore_power(double kept);
  /// A new world begins.
  void reset();

 private:
  SimulatedDisk();
};

}  // namespace carillon::simulation
