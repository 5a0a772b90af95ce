// devices: lists paired devices, now or in the past.
#include "projections/rows/device_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {

namespace {

/// When the event at that position happened; 0: it cannot be read.
TimeUs time_of_event(Source& source, Position position) {
  wire::QueryT query = view_query(wire::View::events);
  query.cursor = std::to_string(position - 1);
  query.limit = 1;
  const auto page = source.query(query);
  const auto events = page ? events_of(*page) : Result<std::vector<const schema::Event*>>();
  const bool found = events && events->size() == 1 && events->front()->position() == position;
  return found ? events->front()->time_us() : 0;
}

}  // namespace

Result<int> show_devices(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const TimeOfPosition time_of = [source](Position at) { return time_of_event(*source, at); };
  return run_list<view::Device>(session, wire::View::devices, [&](TimeUs as_of) -> Shapes<view::Device> {
    return {
        "devices", [&](const view::Device& device) { return device_json(device, time_of); },
        [&, as_of](const auto& devices, Form form) { return devices_table(devices, as_of, form, time_of); },
        "no device is paired; luzia web open pairs this machine's browser"};
  });
}

namespace {

constexpr Option kDevicesOptions[] = {{"-A,--all", ValueKind::flag, "", "revoked ones too"},
                                      kSinceFilter,
                                      kUntilFilter,
                                      kLimitOption,
                                      kCursorOption,
                                      kAtOption,
                                      kCsvOption};

constexpr Command devices_command(std::string_view name, std::string_view group, std::string_view examples) {
  return {name,
          group,
          "[--all] [--limit N] [--at TIME]",
          "list the devices that are paired with luzia-web",
          "SEEN is the last use that was recorded: one an hour for each address. PUSHES are the kinds that a "
          "device is notified of, or 'ended' if its push service has ended that.",
          examples,
          kDevicesOptions,
          {},
          reading<show_devices>,
          kNeedsStore,
          "devices belong to people, not to jobs"};
}

}  // namespace

const Command kDevicesCommand =
    devices_command("devices", "Look", "luzia devices\nluzia devices --all --at yesterday --json");
const Command kWebDevicesCommand = devices_command(
    "web devices", "Set up", "luzia web devices\nluzia web devices --all --at yesterday --json");

}  // namespace luzia
