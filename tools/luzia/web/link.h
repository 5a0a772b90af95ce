// Brings a link with a one-time code to a person: as a QR code, and into the browser. One thread.
#pragma once

#include <string>

#include "engine/device/listening.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// The page's address as other devices reach it: by the first of [web] hosts, if luzia-web does not listen
/// for this machine alone. `url`: where it runs.
std::string page_address(const std::string& url, const WebListening& listening);

/// What a person does now to pair a phone with the page at this address, or why no phone reaches it and what
/// to do.
std::string how_to_pair(const std::string& page, const WebListening& listening);

/// The link as a QR code in half blocks; empty: stdout is no terminal that shows it, or luzia-qr is missing.
std::string qr_code(Invocation& invocation, const std::string& link);

/// Opens the link in the browser of the desktop session, if there is one. The link is passed in a file
/// (STORE.web.html, 0600): others can read the words of a process. `no_browser` (refused): none can be asked
/// to.
Status open_in_browser(Invocation& invocation, const std::string& store, const std::string& link);

}  // namespace luzia
