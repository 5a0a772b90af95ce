// Notifications on the desktop of the daemon's user, by notify-send, which speaks to the session's bus.
// Blocks; for a delivery thread.
#pragma once

#include "adapters/notify/delivery.h"

namespace luzia {

struct Desktop {
  HookCommand sender;  // runner, environment and timeout; its command is made for each notice
};

/// The address of the session's bus: as the environment (KEY=VALUE) says, else the usual socket below
/// XDG_RUNTIME_DIR, without that /run/user/UID. Nothing when nobody listens there: the user is not logged in.
std::optional<std::string> session_bus(const std::vector<std::string>& environment);

/// What notify-send is started with. The body is markup for most desktops, so the text's own is escaped; what
/// an agent wrote can neither be an option nor a link.
std::vector<std::string> desktop_command(const Notice& notice);

/// Delivered = notify-send has ended well. Without a session `nobody` is told, which is no failure.
Delivery show_on_desktop(const Desktop& desktop, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
