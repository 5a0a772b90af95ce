// The line with which `luzia proxy` begins, before it passes on frames. It tells the protocol from what the
// shell of the other machine prints, and says which Luzia is there. Pure; any thread.
//
// The word "luzia-proxy", then fields KEY=VALUE, each after a tab. Unknown keys are skipped, so that a newer
// Luzia can say more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace luzia {

struct ProxyGreeting {
  std::string version;
  std::uint32_t protocol = 0;
  TimeUs clock = 0;                  // of the other machine
  std::uint32_t slots = 0;           // how many jobs its configuration lets run at once; 0: not known
  std::uint32_t load_percent = 0;    // load average of one minute, for each core
  std::optional<Error> failed = {};  // there is no daemon to talk to: no frames follow
};

/// The longest line, with its end. A longer one is none.
inline constexpr std::size_t kMostGreetingBytes = 4'096;

/// With its line break.
std::string greeting_line(const ProxyGreeting& greeting);
/// Of a line without its line break; nullopt: it is another one. The fields are the other machine's words:
/// harmless characters only, but not to be trusted.
std::optional<ProxyGreeting> parse_greeting(std::string_view line);

}  // namespace luzia
