// Where a user's files are where no option and no configuration says so. Creates nothing. Any thread, as long
// as none changes the environment.
#pragma once

#include <string>

namespace luzia {

/// The store of the machine: of its system units, and of root.
inline constexpr char kSystemStore[] = "/var/lib/luzia/store";

/// $HOME, else the home of the user database; empty when there is neither. What is relative counts as not
/// set.
std::string home_directory();
/// $`variable`, else `fallback` (such as "/.config") below the home; empty when there is neither.
std::string base_directory(const char* variable, const std::string& fallback);

/// The one rule for the store that nothing names (no --store, $LUZIA_STORE, $LUZIA_SOCKET, [store] path):
/// $XDG_STATE_HOME/luzia/store; without that variable kSystemStore for root, whatever its home, and
/// ~/.local/state/luzia/store for everybody else. Rejected: root's home. A shell of root, `sudo` with or
/// without -E, cron and the system's unit would each mean another daemon, and see nothing of each other's
/// jobs.
std::string store_by_surroundings();

/// Root's store under its home, where versions before this rule kept it; empty for everybody else, and where
/// there is none.
std::string earlier_store_of_root();

}  // namespace luzia
