// A directory that another user may own and fill with traps (links, pipes, folders). Writes files into it
// safely. One thread at a time; closes its descriptor. Errors: see job_dir.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

namespace luzia {

/// Returns an O_PATH descriptor of the folder that holds the job directories. Creates the folder if it is
/// missing. `unsafe_jobs_root` if other users could replace its content.
Result<Descriptor> open_jobs_root(const std::string& path);

/// Returns a descriptor of a job directory, reached through a folder that is equally safe. `no_job_dir` (not
/// found).
Result<Descriptor> open_job_directory(const std::string& path);

class OwnedDirectory {
 public:
  /// Opens `path`, or creates it with mode 0700. A new directory still belongs to us, so nobody can interfere
  /// before hand_over().
  static Result<OwnedDirectory> open_or_create(const std::string& path, std::uint32_t uid, std::uint32_t gid);
  /// `no_job_dir` if it does not exist.
  static Result<OwnedDirectory> open(const std::string& path, std::uint32_t uid, std::uint32_t gid);

  bool is_new() const { return is_new_; }

  /// Writes a file owned by the owner, replacing any file of that name.
  Status write(const char* name, std::string_view content, mode_t mode);
  /// Creates an empty file of the owner's, unless the name exists.
  Status create_empty(const char* name, mode_t mode);
  /// Creates a folder of the owner's, unless the name exists.
  Status create_folder(const std::string& name);
  /// Whether the owner's file of that name has exactly this content.
  bool holds(const char* name, std::string_view content) const;
  /// The content of the owner's file of that name; nullopt if there is none, or it has more than `most`
  /// bytes.
  std::optional<std::string> read(const char* name, std::size_t most) const;
  /// Moves the named files that exist into the new subdirectory `into`: all of them, or the rest after an
  /// interruption. An existing entry of that name first moves aside, to `<into>.1` or the next free number.
  /// If no such file exists, nothing changes.
  Status move_into(const char* const* names, std::size_t count, const std::string& into);
  /// Copies the owner's file of that name from the subdirectory, with its modification time. If it is not
  /// there, or has over a MiB, nothing changes.
  Status copy_from(const std::string& subdirectory, const char* name);
  /// Gives the directory itself to the owner.
  Status hand_over();

 private:
  OwnedDirectory(std::string path, Descriptor fd, std::uint32_t uid, std::uint32_t gid, bool is_new);
  static Result<OwnedDirectory> checked(const std::string& path, Descriptor fd, std::uint32_t uid,
                                        std::uint32_t gid, bool is_new);
  Status fill(const Descriptor& fd, const char* name, std::string_view content);
  Result<Descriptor> make_subdirectory(const std::string& name);
  bool has(const std::string& name) const;
  Status set_aside(const std::string& name);
  tl::unexpected<Error> failed(int error, const char* doing, std::string_view name) const;

  std::string path_;
  Descriptor fd_;
  std::uint32_t uid_, gid_;
  uid_t present_owner_ = 0;
  bool give_away_;
  bool is_new_;
};

}  // namespace luzia
