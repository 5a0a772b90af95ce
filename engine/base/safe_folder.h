// Folders that no other user can replace. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace luzia {

/// Creates the folder with exactly `mode`, regardless of the umask, and missing parents with 0755. Existing
/// folders keep their rights. Each new name is made durable: a store must not vanish in a power loss after
/// its first events. Returns 0 or an errno value.
int make_folder(const std::string& path, mode_t mode);

/// The parent folder. "/" and "." are their own parents.
std::string folder_above(const std::string& path);

/// A folder above a path in which another user can rename entries, and so replace what the path leads to.
struct UnsafeParent {
  std::string folder;
  std::string why;     // "others may write to it"
  std::string remedy;  // "chmod o-w FOLDER"
};
/// The first such folder from the root down, following links. Sticky folders (/tmp) count as safe here. The
/// user's own group and root's group do not count as other users. nullopt: none, or it cannot be determined.
std::optional<UnsafeParent> unsafe_parent(const std::string& path);

}  // namespace luzia
