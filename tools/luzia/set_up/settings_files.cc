#include "tools/luzia/set_up/settings_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "engine/base/descriptor.h"
#include "engine/base/try.h"
#include "tools/luzia/set_up/agent_settings.h"

namespace luzia::init {
namespace {

namespace fs = std::filesystem;

constexpr off_t kMaxSettings = 4 * 1024 * 1024;
constexpr mode_t kNewMode = 0644;

tl::unexpected<Error> unwritable(const std::string& file, int error) {
  return fail_errno(error, "unwritable", "writing " + file);
}

/// Writes a temporary file beside `target` and renames it over it.
Status replace(const std::string& target, const std::string& text) {
  struct stat present {};
  const bool exists = ::stat(target.c_str(), &present) == 0;
  std::string name = target + ".XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return unwritable(target, errno);
  const mode_t mode = exists ? present.st_mode & 07777 : kNewMode;
  const bool written = write_fully(file.get(), text) && ::fchmod(file.get(), mode) == 0 &&
                       ::fsync(file.get()) == 0 && file.close() == 0 &&
                       ::rename(name.c_str(), target.c_str()) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(name.c_str());
    return unwritable(target, error);
  }
  return {};
}

Status write_change(const FileChange& change) {
  const auto present = LUZIA_TRY(read_settings(change.file));
  if (present != change.before) {
    return fail(ErrorKind::refused, "changed_meanwhile",
                change.file + " was changed by somebody else since it was read", "run luzia init again");
  }
  if (change.after.empty()) {
    if (::unlink(change.file.c_str()) != 0) return unwritable(change.file, errno);
    // An agent's folder (.claude) that is empty now is removed too.
    const fs::path parent = fs::path(change.file).parent_path();
    if (parent.filename().string().starts_with('.')) ::rmdir(parent.c_str());
    return {};
  }
  std::error_code error;
  fs::create_directories(fs::path(change.file).parent_path(), error);
  if (error) return unwritable(change.file, error.value());
  // A symbolic link stays: its target is rewritten.
  const fs::path target =
      fs::exists(change.file, error) ? fs::canonical(change.file, error) : fs::path(change.file);
  return error ? unwritable(change.file, error.value()) : replace(target.string(), change.after);
}

}  // namespace

Result<std::string> read_settings(const std::string& file) {
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!open && (errno == ENOENT || errno == ENOTDIR)) return std::string();
  struct stat status {};
  if (!open || ::fstat(open.get(), &status) != 0) return fail_errno(errno, "unreadable", "reading " + file);
  if (!S_ISREG(status.st_mode) || status.st_size > kMaxSettings) {
    return fail(ErrorKind::usage, "bad_settings",
                file + ": not a regular file, or larger than 4 MiB; it was not changed");
  }
  auto text = read_up_to(open.get(), static_cast<std::size_t>(status.st_size));
  if (!text) return fail_errno(errno, "unreadable", "reading " + file);
  return std::move(*text);
}

Status write_changes(const std::vector<FileChange>& changes) {
  for (const FileChange& change : changes) {
    LUZIA_TRY(write_change(change));
  }
  return {};
}

}  // namespace luzia::init
