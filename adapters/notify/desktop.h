// Shows notifications on the desktop of the daemon's user with notify-send, which uses the session's bus.
// Blocks; for a delivery thread.
#pragma once

#include "adapters/notify/delivery.h"

namespace luzia {

struct Desktop {
  HookCommand sender;  // runner, environment and timeout; each notice sets its own command
};

/// The address of the session's bus: from the environment (KEY=VALUE), else the usual socket in
/// XDG_RUNTIME_DIR, else in /run/user/UID. nullopt if nothing listens there: the user is not logged in.
std::optional<std::string> session_bus(const std::vector<std::string>& environment);

/// The command line of notify-send. Most desktops read the body as markup, so markup in the text is escaped.
/// Text from an agent can be neither an option nor a link.
std::vector<std::string> desktop_command(const Notice& notice);

/// Delivered if notify-send exits with success. Without a session the result is `nobody`, which is no
/// failure.
Delivery show_on_desktop(const Desktop& desktop, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
