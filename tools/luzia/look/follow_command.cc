// follow: prints events as JSON Lines from a cursor on. The only way to receive every event.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr Option kFollowOptions[] = {
    {"--since", ValueKind::text, "POSITION",
     "print events after this position (0: all) or since this time (default: from now on)"},
    {"--once", ValueKind::flag, "", "exit when everything up to now is printed (default --since: 0)"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    {"--state", ValueKind::states, "STATE",
     "only events of jobs that are in these states when it is printed"},
    kUntilFilter,
    {"--limit", ValueKind::number, "N", "exit after N events"},
};

bool is_position(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() <= 19;
}

Result<wire::FollowT> follow_from(const Invocation& invocation) {
  const Arguments& args = invocation.args();
  wire::FollowT follow;
  follow.filter = filter_of(args);
  follow.filter->since_us = 0;
  follow.live = !args.has("once");
  const std::string since = args.text("since");
  if (is_position(since)) {
    follow.since = std::stoull(since);
  } else if (const auto time = parse_local_time(since, invocation.now())) {
    follow.filter->since_us = *time;
  } else if (since.empty() || since == "now") {
    follow.from_now = follow.live;
  } else {
    return fail(ErrorKind::usage, "bad_value", "--since: '" + since + "' is neither a position nor a time",
                "write 1234, now, 2026-01-31, 14:05 or 2h");
  }
  return follow;
}

/// Prints at most `left` events, and takes them off it.
void print_events(const wire::Events& events, std::uint64_t& left) {
  if (events.events() == nullptr) return;
  for (const wire::Row* row : *events.events()) {
    if (row->data() == nullptr || left == 0) continue;
    if (const auto* event = verified_row<schema::Event>({row->data()->data(), row->data()->size()})) {
      print_line(event_json(*event));
      --left;
    }
  }
}

Result<int> follow_here(Invocation& invocation) {
  auto follow = LUZIA_TRY(follow_from(invocation));
  auto client = connect_to_ask(invocation);
  if (!client) return tl::unexpected(client.error());
  const std::uint64_t limit = invocation.args().number("limit").value_or(0);
  std::uint64_t left = limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit;
  auto sent = client->send(request_of(follow));
  while (sent) {
    const auto frame = client->next();
    if (!frame && frame.error().code == "connection_lost") {
      // The cursor continues the stream across restarts of the daemon.
      client = invocation.connect();
      if (!client) return tl::unexpected(client.error());
      sent = client->send(request_of(follow));
      continue;
    }
    if (!frame) return tl::unexpected(frame.error());
    if (const auto* events = (*frame)->reply_as_Events()) {
      print_events(*events, left);
      std::fflush(stdout);
      follow.since = std::max(follow.since, events->position());
      follow.from_now = false;
      if (left == 0 || (events->caught_up() && !follow.live)) return 0;
      if (std::ferror(stdout) != 0) {
        return fail(ErrorKind::trouble, "unwritable", "writing events: cannot write to standard output");
      }
    }
  }
  return tl::unexpected(sent.error());
}

Result<int> run_follow(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return follow_here(invocation); });
}

}  // namespace

const Command kFollowCommand = {
    "follow",
    "Look",
    "[--since POSITION|TIME] [--once] [filters] [--limit N]",
    "print every event as it becomes durable, as JSON Lines",
    "To continue later, pass the position of the last line as --since: no event is missed or repeated, even "
    "across restarts of the daemon.",
    "luzia follow --since 0 --once | jq -r .type | sort | uniq -c\n"
    "luzia follow --project web",
    kFollowOptions,
    {},
    run_follow,
    kNeedsStore};

}  // namespace luzia
