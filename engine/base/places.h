// Default paths of a user's files, used if no option and no configuration names one. Creates nothing. Any
// thread, as long as no thread changes the environment.
#pragma once

#include <string>

namespace luzia {

/// The machine's store, for system units and for root.
inline constexpr char kSystemStore[] = "/var/lib/luzia/store";

/// $HOME, else the home from the user database; empty if there is neither. Relative paths count as unset.
std::string home_directory();
/// $`variable`, else `fallback` (such as "/.config") below the home; empty if there is neither.
std::string base_directory(const char* variable, const std::string& fallback);

/// The default store, if --store, $LUZIA_STORE, $LUZIA_SOCKET and [store] path are all unset:
/// $XDG_STATE_HOME/luzia/store if that variable is set; otherwise kSystemStore for root, whatever its home
/// is, and ~/.local/state/luzia/store for everybody else.
///
/// Rejected: a store below root's home. A root shell, `sudo` with or without -E, cron and the system unit
/// would each reach another daemon and not see the others' jobs.
std::string store_by_surroundings();

/// Root's store below its home, where earlier versions kept it. Empty if the user is not root or no store is
/// there.
std::string earlier_store_of_root();

}  // namespace luzia
