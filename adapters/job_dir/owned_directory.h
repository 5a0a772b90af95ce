// A directory that another user may own and fill with traps, and files written into it without falling for
// them. One thread at a time; closes its descriptor. Errors as in job_dir.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// An O_PATH descriptor of the folder that holds the job directories, for the caller to close. Created where
/// it is missing; `unsafe_jobs_root` where other users could replace what stands in it.
Result<int> open_jobs_root(const std::string& path);

/// A descriptor of a job directory, for the caller to close, by way of a folder that is as safe. `no_job_dir`
/// (not found) when there is none.
Result<int> open_job_directory(const std::string& path);

class OwnedDirectory {
 public:
  OwnedDirectory(OwnedDirectory&& other) noexcept;
  OwnedDirectory& operator=(OwnedDirectory&&) = delete;
  ~OwnedDirectory();

  /// Opens `path` or, if it is not there, creates it with mode 0700. It still belongs to us when it is new,
  /// so nobody can interfere before hand_over().
  static Result<OwnedDirectory> open_or_create(const std::string& path, std::uint32_t uid, std::uint32_t gid);
  /// Code `no_job_dir` when there is none.
  static Result<OwnedDirectory> open(const std::string& path, std::uint32_t uid, std::uint32_t gid);

  bool is_new() const { return is_new_; }

  /// Writes a file of the owner's under that name, in place of whatever file is there.
  Status write(const char* name, std::string_view content, mode_t mode);
  /// An empty file of the owner's, unless something is there already.
  Status create_empty(const char* name, mode_t mode);
  /// A folder of the owner's, unless something is there already.
  Status create_folder(const std::string& name);
  /// Whether the owner's file of that name holds exactly this.
  bool holds(const char* name, std::string_view content) const;
  /// The owner's file of that name; nullopt where there is none, or it has more than `most` bytes.
  std::optional<std::string> read(const char* name, std::size_t most) const;
  /// Moves the named files that exist into the new sub-directory `into`, all or, after an interruption, the
  /// rest of them. What stands under that name before moves aside, to `<into>.1` or the next that is free. No
  /// such files: nothing changes.
  Status move_into(const char* const* names, std::size_t count, const std::string& into);
  /// Makes the directory itself the owner's.
  Status hand_over();

 private:
  OwnedDirectory(std::string path, int fd, std::uint32_t uid, std::uint32_t gid, bool is_new);
  static Result<OwnedDirectory> checked(const std::string& path, int fd, std::uint32_t uid, std::uint32_t gid,
                                        bool is_new);
  Status fill(int fd, const char* name, std::string_view content);
  Result<int> make_subdirectory(const std::string& name);
  bool has(const std::string& name) const;
  Status set_aside(const std::string& name);
  tl::unexpected<Error> failed(int error, const char* doing, std::string_view name) const;

  std::string path_;
  int fd_;
  std::uint32_t uid_, gid_;
  uid_t present_owner_ = 0;
  bool give_away_;
  bool is_new_;
};

}  // namespace luzia
