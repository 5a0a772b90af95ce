// devices: lists paired devices, now or in the past.
#include "projections/rows/device_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {

Result<int> show_devices(Session& session) {
  return run_list<view::Device>(session, wire::View::devices, [](TimeUs as_of) -> Shapes<view::Device> {
    return {"devices", device_json,
            [as_of](const auto& devices, Form form) { return devices_table(devices, as_of, form); },
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
          "SEEN is the last use that was recorded: one an hour for each address.",
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
