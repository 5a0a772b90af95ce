// Sends one push: checks where to, encrypts, signs and posts it. One thread.
#pragma once

#include "adapters/notify/push.h"
#include "engine/base/time.h"

namespace luzia {

/// The exit status (post_request.h), and what is printed: a line, then perhaps one for the daemon.
struct PushResult {
  int code = 0;
  std::string said;
};

/// `text`: for the browser. `now`: for the token, which is good for a few hours.
PushResult send_push(const PushOrder& order, std::string_view text, TimeUs now);

}  // namespace luzia
