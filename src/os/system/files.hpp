// The file system as the program uses it: one real implementation, and an in-memory fake for tests.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::system {

// The kind of file system under a folder, and this process's rights there.

struct FileSystem {
  std::string name{};      // "NFS"; "" if file_system_of() does not know it
  bool is_shared = false;  // several hosts may use it, between which there is no shared memory
};

// TYPE: f_type of statfs(2).
FileSystem file_system_of(std::uint32_t type);
// Whether this process may create files in FOLDER.
bool is_writable(const std::string& folder);

class LongWork;

struct FileEntry {
  std::string path;         // relative to the listed folder, '/' between parts
  std::uint64_t bytes = 0;  // of a regular file
  bool is_link = false;     // a symbolic link; not followed
  bool leads_out = false;   // a link whose target is absolute or outside the folder
  bool is_other = false;    // a pipe, a socket, a device or a mounted folder: nothing to read
  bool is_mount = false;    // something is mounted there; if it is a folder, it is not listed
};

// The space that an unprivileged user can still use in a file system.
struct FreeSpace {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;       // the maximum if the file system has no limit
  std::uint64_t total_bytes = 0;  // of the whole file system; 0: unknown
};

struct FileFacts {
  std::uint64_t bytes = 0;
  bool is_regular = false;
  bool is_folder = false;
};

// A file that stays open for reading and appending. Errors as for Files.
class OpenFile {
 public:
  virtual ~OpenFile() = default;

  virtual Result<std::uint64_t> size() = 0;
  // At most MOST bytes from OFFSET on; fewer only at the end of the file.
  virtual Result<std::string> read(std::uint64_t offset, std::size_t most) = 0;
  // Appends TEXT. Durable only after sync(). After an error, the file may end with a part of TEXT.
  virtual Status append(std::string_view text) = 0;
  // Truncates the file to its first BYTES. Durable only after sync().
  virtual Status truncate(std::uint64_t bytes) = 0;
  // Makes content and length durable, but not the name. After an error the system may have dropped
  // what was written since the last sync(); a later successful sync() does not prove otherwise.
  virtual Status sync() = 0;
};

// Paths are absolute or relative to the working directory. Thread-safe. Errors have
// ErrorKind::not_found if PATH does not exist, otherwise ErrorKind::io, unless a call says
// otherwise.
class Files {
 public:
  virtual ~Files() = default;

  // Whether PATH exists; a dangling link does.
  virtual bool exists(const std::string& path) = 0;
  // Whether PATH is a symbolic link, dangling or not.
  virtual bool is_link(const std::string& path) = 0;
  // Follows links. nullopt if PATH leads nowhere or to something that cannot be reached.
  virtual std::optional<FileFacts> stat(const std::string& path) = 0;
  // The whole file.
  virtual Result<std::string> read(const std::string& path) = 0;
  // The whole file. ErrorKind::invalid if it has more than MOST bytes or is not a regular file.
  virtual Result<std::string> read_text(const std::string& path, std::uint64_t most) = 0;
  // read_text() for a file that stages can reach: ErrorKind::invalid also if PATH is a link.
  virtual Result<std::string> read_own(const std::string& path, std::uint64_t most) = 0;
  // The last BYTES of a regular file, or all of it. A link is an error.
  virtual Result<std::string> read_tail(const std::string& path, std::uint64_t bytes) = 0;
  // At most MOST bytes of a regular file from OFFSET on; fewer only at its end, and "" beyond.
  // Anything but a regular file is an error, so that a pipe cannot block the caller.
  virtual Result<std::string> read_block(const std::string& path, std::uint64_t offset,
                                         std::size_t most) = 0;
  // Atomically replaces PATH: a reader sees the old text or the new, even after a power failure.
  // The parent must exist. A link is replaced; a device, pipe or socket is an error.
  virtual Status write(const std::string& path, std::string_view text) = 0;
  // Writes a file that no other process reads yet; removes what is at PATH. Durable only after
  // sync_tree(). After an error, the file may contain a part of TEXT.
  virtual Status put(const std::string& path, std::string_view text) = 0;
  // Appends TEXT to a file, which is created if absent. Durable only after sync(). After an error,
  // the file may end with a part of TEXT. PATH must be a regular file or a character device, and
  // for open() and truncate() a regular file; a link is an error.
  virtual Status append(const std::string& path, std::string_view text) = 0;
  // Opens a regular file, which is created if absent. This object must outlive it.
  virtual Result<std::unique_ptr<OpenFile>> open(const std::string& path) = 0;
  // Truncates a file to its first BYTES. Durable only after sync().
  virtual Status truncate(const std::string& path, std::uint64_t bytes) = 0;
  // Atomically replaces PATH: a reader sees the old text or the new. Not durable.
  virtual Status replace(const std::string& path, std::string_view text) = 0;
  // Creates PATH with TEXT, atomically if the file system has hard links; false if the name exists.
  // Of several processes exactly one succeeds, even on different hosts that share the file system.
  // Not durable.
  virtual Result<bool> create_once(const std::string& path, std::string_view text) = 0;
  // Creates a folder and its parents. An existing folder is not an error.
  virtual Status make_folder(const std::string& path) = 0;
  // Moves a file or folder within one file system, durably. Errors: TO exists, or the move cannot
  // be made durable and has been undone.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // Makes PATH a symbolic link to TARGET. Error: PATH exists. Durable only after sync_tree().
  virtual Status link(const std::string& target, const std::string& path) = 0;
  // Removes a file, or a folder with its content. Follows no links. Mount points stay with their
  // content; the rest is removed, and the error names one. A missing PATH is not an error.
  virtual Status remove_tree(const std::string& path) = 0;
  // Copies one regular file with its mode; replaces TO. After an error, TO may be incomplete.
  // ErrorKind::interrupted if WORK is stopped.
  virtual Status copy(const std::string& from, const std::string& to, LongWork& work) = 0;
  // Every file, link and mount point below FOLDER, sorted by path; links are not followed and mount
  // points not entered.
  virtual Result<std::vector<FileEntry>> list(const std::string& folder) = 0;
  // The names of the entries of FOLDER itself, sorted.
  virtual Result<std::vector<std::string>> names(const std::string& folder) = 0;
  // The SHA-256 of a regular file's content; ErrorKind::invalid for anything else.
  // ErrorKind::interrupted if WORK is stopped.
  virtual Result<Digest> sha256(const std::string& path, LongWork& work) = 0;
  // The free space of the file system that holds PATH.
  virtual Result<FreeSpace> free_space(const std::string& path) = 0;
  // The file system that holds PATH; one that is not shared if PATH cannot be reached.
  virtual FileSystem file_system(const std::string& path) = 0;
  // Makes the content of a file, or the names in a folder, durable.
  virtual Status sync(const std::string& path) = 0;
  // Makes the contents and names of all files below FOLDER durable.
  virtual Status sync_tree(const std::string& folder) = 0;
};

class RealFiles final : public Files {
 public:
  bool exists(const std::string& path) override;
  bool is_link(const std::string& path) override;
  std::optional<FileFacts> stat(const std::string& path) override;
  Result<std::string> read(const std::string& path) override;
  Result<std::string> read_text(const std::string& path, std::uint64_t most) override;
  Result<std::string> read_own(const std::string& path, std::uint64_t most) override;
  Result<std::string> read_tail(const std::string& path, std::uint64_t bytes) override;
  Result<std::string> read_block(const std::string& path, std::uint64_t offset,
                                 std::size_t most) override;
  Status write(const std::string& path, std::string_view text) override;
  Status put(const std::string& path, std::string_view text) override;
  Status append(const std::string& path, std::string_view text) override;
  Result<std::unique_ptr<OpenFile>> open(const std::string& path) override;
  Status truncate(const std::string& path, std::uint64_t bytes) override;
  Status replace(const std::string& path, std::string_view text) override;
  Result<bool> create_once(const std::string& path, std::string_view text) override;
  Status make_folder(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& target, const std::string& path) override;
  Status remove_tree(const std::string& path) override;
  Status copy(const std::string& from, const std::string& to, LongWork& work) override;
  Result<std::vector<FileEntry>> list(const std::string& folder) override;
  Result<std::vector<std::string>> names(const std::string& folder) override;
  Result<Digest> sha256(const std::string& path, LongWork& work) override;
  Result<FreeSpace> free_space(const std::string& path) override;
  FileSystem file_system(const std::string& path) override;
  Status sync(const std::string& path) override;
  Status sync_tree(const std::string& folder) override;
};

// The folder for temporary files: that of TMPDIR, else /tmp. Error: it is no folder.
Result<std::string> temporary_folder();

// Atomically replaces the text of an existing file and keeps its mode; a link keeps pointing to the
// file. An error leaves everything unchanged.
Status replace_text(const std::string& path, std::string_view text);

// Owns a file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Writes all of TEXT to a descriptor. The error names WHAT was done and the THING.
Status write_all(int fd, std::string_view text, std::string_view what, std::string_view thing);

// Opens a regular file, which is created if absent, or a character device, for appending.
Result<Descriptor> open_for_appending(const std::string& path);

}  // namespace orch::system
