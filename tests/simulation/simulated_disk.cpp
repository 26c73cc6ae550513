#include "simulation/simulated_disk.hpp"

#include "simulation/draw.hpp"

#include <sqlite3.h>

#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace carillon::simulation {
namespace {

/// What a file was before a write that has not been synchronised.
struct Undo {
  sqlite3_int64 offset = 0;
  std::string bytes;       // as far as there were any
  sqlite3_int64 size = 0;  // of the whole file
};

struct DiskState {
  std::mutex mutex;
  // Guarded.
  bool is_full = false;
  bool is_off = false;
  bool is_lying = false;
  double failure_rate = 0;
  std::uint64_t seed = 0;
  std::uint64_t call_count = 0;
  std::map<std::string, std::vector<Undo>> unsynchronised;
};

DiskState& disk() {
  static DiskState state;
  return state;
}

struct DiskFile {
  sqlite3_file base;
  std::string* path;  // of what is kept beyond a loss of power; null for temporary files
  // The file below follows in memory.
  [[nodiscard]] sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

DiskFile& own(sqlite3_file* file) { return *reinterpret_cast<DiskFile*>(file); }
sqlite3_file* below(sqlite3_file* file) { return own(file).below(); }

/// Whether the next call fails. With the lock held.
bool is_call_failing(DiskState& state) {
  ++state.call_count;
  return state.failure_rate > 0 && Draw{key_of(state.seed, state.call_count)}.chance(state.failure_rate);
}

/// Whether this change fails; SQLITE_OK if it does not. With the lock held.
int fate_of_change(DiskState& state) {
  if (state.is_off) return SQLITE_IOERR;
  if (state.is_full) return SQLITE_FULL;
  return is_call_failing(state) ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

void remember(DiskState& state, sqlite3_file* file, sqlite3_int64 offset, sqlite3_int64 count) {
  if (own(file).path == nullptr) return;
  Undo undo{.offset = offset, .bytes = {}};
  below(file)->pMethods->xFileSize(below(file), &undo.size);
  const auto old = std::min(std::max<sqlite3_int64>(undo.size - offset, 0), count);
  undo.bytes.resize(static_cast<std::size_t>(old));
  if (old > 0) below(file)->pMethods->xRead(below(file), undo.bytes.data(), static_cast<int>(old), offset);
  state.unsynchronised[*own(file).path].push_back(std::move(undo));
}

int close(sqlite3_file* file) {
  delete own(file).path;
  return below(file)->pMethods->xClose(below(file));
}

int read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  return below(file)->pMethods->xRead(below(file), to, count, offset);
}

int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  const std::scoped_lock lock{disk().mutex};
  if (const int code = fate_of_change(disk()); code != SQLITE_OK) return code;
  remember(disk(), file, offset, count);
  return below(file)->pMethods->xWrite(below(file), from, count, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const std::scoped_lock lock{disk().mutex};
  if (disk().is_off) return SQLITE_IOERR;
  sqlite3_int64 before = 0;
  below(file)->pMethods->xFileSize(below(file), &before);
  remember(disk(), file, size, before - size);
  return below(file)->pMethods->xTruncate(below(file), size);
}

// Nothing has to reach the machine's own disk: it does not lose its power.
int synchronise(sqlite3_file* file, int) {
  const std::scoped_lock lock{disk().mutex};
  if (disk().is_off) return SQLITE_IOERR;
  // What a failed call has left unsynchronised stays so.
  if (is_call_failing(disk())) return SQLITE_IOERR_FSYNC;
  if (own(file).path != nullptr && !disk().is_lying) disk().unsynchronised.erase(*own(file).path);
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) { return below(file)->pMethods->xFileSize(below(file), size); }
int lock(sqlite3_file* file, int kind) { return below(file)->pMethods->xLock(below(file), kind); }
int unlock(sqlite3_file* file, int kind) { return below(file)->pMethods->xUnlock(below(file), kind); }
int is_reserved(sqlite3_file* file, int* answer) {
  return below(file)->pMethods->xCheckReservedLock(below(file), answer);
}
int control(sqlite3_file* file, int code, void* argument) {
  return below(file)->pMethods->xFileControl(below(file), code, argument);
}
int sector_size(sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); }
int characteristics(sqlite3_file* file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return below(file)->pMethods->xShmMap(below(file), page, size, extend, memory);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}
void order_shared(sqlite3_file* file) { below(file)->pMethods->xShmBarrier(below(file)); }
int unmap_shared(sqlite3_file* file, int is_removed) {
  return below(file)->pMethods->xShmUnmap(below(file), is_removed);
}

// The second version: files are not mapped, so that every read and write comes by here.
const sqlite3_io_methods methods{
    2,           close,        read,         write,   truncate,    synchronise,     file_size,
    lock,        unlock,       is_reserved,  control, sector_size, characteristics, map_shared,
    lock_shared, order_shared, unmap_shared, nullptr, nullptr};

sqlite3_vfs* real() {
  static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
  return found;
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  DiskFile& opened = own(file);
  opened.base.pMethods = nullptr;
  opened.path = nullptr;
  const int code = real()->xOpen(real(), name, opened.below(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  if (name != nullptr) opened.path = new std::string{name};
  opened.base.pMethods = &methods;
  return SQLITE_OK;
}

int remove(sqlite3_vfs*, const char* name, int is_durable) {
  const std::scoped_lock lock{disk().mutex};
  if (disk().is_off) return SQLITE_IOERR_DELETE;
  disk().unsynchronised.erase(name);
  return real()->xDelete(real(), name, is_durable);
}

int access_file(sqlite3_vfs*, const char* name, int flags, int* answer) {
  return real()->xAccess(real(), name, flags, answer);
}
int full_name(sqlite3_vfs*, const char* name, int count, char* out) {
  return real()->xFullPathname(real(), name, count, out);
}

void put_back(const std::string& path, const Undo& undo) {
  std::fstream file{path, std::ios::binary | std::ios::in | std::ios::out};
  file.seekp(undo.offset);
  file.write(undo.bytes.data(), static_cast<std::streamsize>(undo.bytes.size()));
  file.close();
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(undo.size));
}

sqlite3_vfs layer() {
  sqlite3_vfs vfs = *real();
  vfs.szOsFile = static_cast<int>(sizeof(DiskFile)) + real()->szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = "simulated";
  vfs.xOpen = open;
  vfs.xDelete = remove;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_name;
  return vfs;
}

sqlite3_vfs& registered() {
  static sqlite3_vfs vfs = layer();
  return vfs;
}

}  // namespace

SimulatedDisk& SimulatedDisk::instance() {
  static SimulatedDisk one;
  return one;
}

SimulatedDisk::SimulatedDisk() {
  sqlite3_initialize();
  sqlite3_vfs_register(&registered(), 1);
}

SimulatedDisk::~SimulatedDisk() { sqlite3_vfs_unregister(&registered()); }

void SimulatedDisk::set_full(bool is_full) {
  const std::scoped_lock lock{disk().mutex};
  disk().is_full = is_full;
}

void SimulatedDisk::set_failing(double rate, std::uint64_t seed) {
  const std::scoped_lock lock{disk().mutex};
  disk().failure_rate = rate;
  disk().seed = seed;
}

void SimulatedDisk::set_lying(bool is_lying) {
  const std::scoped_lock lock{disk().mutex};
  disk().is_lying = is_lying;
}

void SimulatedDisk::cut_power() {
  const std::scoped_lock lock{disk().mutex};
  disk().is_off = true;
}

void SimulatedDisk::restore_power(double kept) {
  const std::scoped_lock lock{disk().mutex};
  for (auto& [path, undos] : disk().unsynchronised) {
    if (!std::filesystem::exists(path)) continue;
    const auto first_lost = static_cast<std::size_t>(static_cast<double>(undos.size()) * kept);
    for (std::size_t i = undos.size(); i > first_lost; --i) put_back(path, undos[i - 1]);
  }
  disk().unsynchronised.clear();
  disk().is_off = false;
}

void SimulatedDisk::reset() {
  const std::scoped_lock lock{disk().mutex};
  disk().is_full = disk().is_off = disk().is_lying = false;
  disk().failure_rate = 0;
  disk().call_count = 0;
  disk().unsynchronised.clear();
}

}  // namespace carillon::simulation
