#include "results/store/power/vfs.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include <sqlite3.h>

namespace orch::power {

namespace {

Disk* disk = nullptr;
sqlite3_vfs* below = nullptr;  // the real one
sqlite3_vfs above;

struct File {
  sqlite3_file base;
  std::string* path;  // null: not on the model disk
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& file_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* real_of(sqlite3_file* file) { return file_of(file).real(); }

int code_of(int otherwise) { return disk->number() == ENOSPC ? SQLITE_FULL : otherwise; }

int close(sqlite3_file* file) {
  delete file_of(file).path;
  return real_of(file)->pMethods ? real_of(file)->pMethods->xClose(real_of(file)) : SQLITE_OK;
}
int read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}
int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  const std::string* path = file_of(file).path;
  if (path && !disk->write(*path, static_cast<std::uint64_t>(offset),
                           {static_cast<const char*>(bytes), static_cast<std::size_t>(count)}))
    return code_of(SQLITE_IOERR_WRITE);
  return real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const std::string* path = file_of(file).path;
  if (path && !disk->truncate(*path, static_cast<std::uint64_t>(size)))
    return code_of(SQLITE_IOERR_TRUNCATE);
  return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
int sync(sqlite3_file* file, int) {
  const std::string* path = file_of(file).path;
  return !path || disk->sync(*path) ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int lock(sqlite3_file* file, int kind) {
  return real_of(file)->pMethods->xLock(real_of(file), kind);
}
int unlock(sqlite3_file* file, int kind) {
  return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}
int check_lock(sqlite3_file* file, int* held) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), held);
}
// A hint to grow the file would be a write that the model does not see.
int control(sqlite3_file* file, int what, void* value) {
  if (what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
  return real_of(file)->pMethods->xFileControl(real_of(file), what, value);
}
int sector_size(sqlite3_file* file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
int characteristics(sqlite3_file* file) {
  return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file)) & ~SQLITE_IOCAP_SEQUENTIAL &
         ~SQLITE_IOCAP_SAFE_APPEND;
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
int shm_unmap(sqlite3_file* file, int remove) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

constexpr sqlite3_io_methods k_methods = {
    2,         close,      read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_lock, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,    nullptr};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* mine = new (file) File{{nullptr}, nullptr};
  const bool kept = name && disk->covers(name);
  if (kept && (flags & SQLITE_OPEN_CREATE) && !disk->create(name)) return code_of(SQLITE_CANTOPEN);
  const int code = below->xOpen(below, name, mine->real(), flags, out);
  if (code != SQLITE_OK) return code;
  if (kept && disk->has(name)) mine->path = new std::string(name);
  mine->base.pMethods = &k_methods;
  return SQLITE_OK;
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  if (disk->covers(name) && disk->has(name)) {
    if (!disk->remove(name)) return SQLITE_IOERR_DELETE;
    const std::string folder = std::string(name).substr(0, std::string(name).rfind('/'));
    if (sync_folder && !disk->sync(folder)) return SQLITE_IOERR_DIR_FSYNC;
  }
  return below->xDelete(below, name, 0);
}

}  // namespace

Vfs::Vfs(Disk& on) {
  sqlite3_initialize();
  disk = &on;
  below = sqlite3_vfs_find(nullptr);
  above = *below;
  above.pNext = nullptr;
  above.zName = "model-disk";
  above.szOsFile = static_cast<int>(sizeof(File)) + below->szOsFile;
  above.xOpen = open;
  above.xDelete = remove;
  sqlite3_vfs_register(&above, 1);
}

Vfs::~Vfs() {
  sqlite3_vfs_unregister(&above);
  disk = nullptr;
}

}  // namespace orch::power
