// Folders that nobody else can put something else in the place of. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace luzia {

/// Makes the folder with exactly `mode`, whatever the umask, and its missing parents with 0755. What was
/// there before keeps its rights. Each new name is durable: a store must not vanish with the power after its
/// first events. 0 or an errno value.
int make_folder(const std::string& path, mode_t mode);

/// The folder above, "/" and "." being their own.
std::string folder_above(const std::string& path);

/// A folder above a path in which somebody else can rename, and so replace, what the path leads to.
struct UnsafeParent {
  std::string folder;
  std::string why;     // "others may write to it"
  std::string remedy;  // "chmod o-w FOLDER"
};
/// The first one, from the root down, links followed. Sticky folders (/tmp) are safe in this respect. A group
/// of the user's own, or root's, is nobody else. nullopt: there is none, or it cannot be told.
std::optional<UnsafeParent> unsafe_parent(const std::string& path);

}  // namespace luzia
