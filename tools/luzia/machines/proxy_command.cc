// proxy: a hidden command, which the luzia of another machine runs by ssh. Connects standard input and output
// with the daemon's socket.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "adapters/socket/proxy_greeting.h"
#include "adapters/socket/relay.h"
#include "engine/base/descriptor.h"
#include "engine/base/try.h"
#include "tools/cli/invocation.h"
#include "tools/luzia/families.h"
#include "tools/read/job_room.h"

namespace luzia {
namespace {

constexpr Option kProxyOptions[] = {{"--no-start", ValueKind::flag, "", "start no daemon"}};

ProxyGreeting own_greeting(Invocation& invocation) {
  ProxyGreeting greeting;
  greeting.version = LUZIA_VERSION;
  greeting.protocol = kProtocolVersion;
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto config = invocation.config();
  greeting.slots = slots_of(config ? **config : Config());
  double load = 0;
  if (::getloadavg(&load, 1) == 1) greeting.load_percent = static_cast<std::uint32_t>(load * 100 / cores);
  return greeting;
}

Result<int> run_proxy(Invocation& invocation) {
  if (invocation.surroundings().in_stream.terminal) {
    return fail(ErrorKind::usage, "bad_usage", "proxy: it speaks with another luzia, not with people",
                "luzia --on MACHINE COMMAND runs it on that machine by ssh");
  }
  // A misspelt store of [machines.NAME] must not become a new one.
  invocation.create_nothing();
  auto client =
      invocation.connect(invocation.args().has("no-start") ? WhenAbsent::complain : WhenAbsent::start);
  ProxyGreeting greeting = own_greeting(invocation);
  if (!client) greeting.failed = client.error();
  greeting.clock = invocation.now();
  // The line break ends what a shell may have printed. If it cannot be written, the other side is gone.
  if (!write_fully(STDOUT_FILENO, "\n" + greeting_line(greeting))) return 0;
  if (!client) return static_cast<int>(client.error().kind);
  LUZIA_TRY(relay(STDIN_FILENO, STDOUT_FILENO, client->fd()));
  return 0;
}

}  // namespace

const Command kProxyCommand = {
    "proxy",       "", "[--no-start]", "connect standard input and output with the daemon", "", "",
    kProxyOptions, {}, run_proxy};

}  // namespace luzia
