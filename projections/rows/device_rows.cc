#include "projections/rows/device_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/joined_names.h"
#include "engine/device/device.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/json_object.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

std::string seen_text(const view::Device& device, TimeUs now) {
  if (device.seen_us() == 0) return "never";
  return format_duration(std::max<TimeUs>(0, now - device.seen_us())) + " ago";
}

void put_push(JsonObject& json, const view::Device& device, const TimeOfPosition& time_of) {
  const bool none = text(device.push_service()).empty();
  if (none && text(device.push_note()).empty()) return json.at("push").null();
  json.begin("push");
  json.text_or_null("service", device.push_service());
  json.strings("kinds", device.push_kinds());
  json.time("since", none ? 0 : time_of(device.push_since()));
  json.text_or_null("ended", device.push_note());
  json.end();
}

/// Which pushes it gets; for people also if they have ended by themselves.
std::string pushes_text(const view::Device& device, Form form) {
  const bool ended = form == Form::people && !text(device.push_note()).empty();
  return ended ? std::string("ended") : joined_names(device.push_kinds());
}

std::string paired_text(const schema::DevicePaired& fact) {
  std::string sentence = fmt::format("device {} ({}) paired", text(fact.name()), text(fact.device()));
  if (!text(fact.person()).empty()) sentence += fmt::format(" for {}", text(fact.person()));
  sentence += fmt::format(" as {}", role_name(fact.role()));
  const std::string projects = joined_names(fact.projects());
  if (!projects.empty()) sentence += ", for " + projects;
  if (!text(fact.address()).empty()) sentence += fmt::format(", from {}", text(fact.address()));
  return sentence + fmt::format("; if you do not know it: luzia web revoke {}", text(fact.device()));
}

}  // namespace

std::string device_json(const view::Device& device, const TimeOfPosition& time_of) {
  JsonObject json;
  json.text("id", device.device());
  json.text("name", device.name());
  json.text_or_null("person", device.person());
  json.text("role", role_name(device.role()));
  json.strings("projects", device.projects());
  json.time("paired_at", device.paired_us());
  json.text_or_null("paired_by", device.paired_by());
  json.time("seen_at", device.seen_us());
  json.text_or_null("address", device.address());
  json.time("revoked_at", device.revoked_us());
  json.text_or_null("revoked_by", device.revoked_by());
  json.text_or_null("note", device.note());
  put_push(json, device, time_of);
  json.number("position", device.position());
  return json.take();
}

Table devices_table(const std::vector<const view::Device*>& devices, TimeUs now, Form form,
                    const TimeOfPosition& time_of) {
  const bool data = form == Form::data;
  Table table({{"DEVICE", Align::left, 15},
               {"NAME", Align::left, 6, true},
               {"PERSON", Align::left, 6, true, 1},
               {"ROLE", Align::left, 8},
               {"SEEN", Align::left, 8},
               {"ADDRESS", Align::left, 9, true, 2},
               {"PROJECTS", Align::left, 8, true, 3},
               {"PUSHES", Align::left, 6, true, 3},
               {"PUSHED SINCE", Align::left, 19, false, 2},
               {"PAIRED", Align::left, 19, false, 4}});
  for (const view::Device* device : devices) {
    const bool revoked = device->revoked_us() != 0;
    const std::string projects = joined_names(device->projects());
    const TimeUs pushed = text(device->push_service()).empty() ? 0 : time_of(device->push_since());
    table.add({{std::string(text(device->device())), revoked ? Colour::dim : Colour::bold},
               {std::string(text(device->name()))},
               {std::string(text(device->person()))},
               {revoked ? std::string("revoked") : std::string(role_name(device->role())),
                revoked ? Colour::red : Colour::none},
               {data ? full_time(device->seen_us()) : seen_text(*device, now)},
               {std::string(text(device->address()))},
               {projects.empty() ? std::string(data ? "" : "(all)") : projects},
               {pushes_text(*device, form)},
               {data ? full_time(pushed) : second_time(pushed)},
               {data ? full_time(device->paired_us()) : second_time(device->paired_us())}});
  }
  return table;
}

std::string device_text(const schema::DeviceEvent& event) {
  if (const auto* paired = event.fact_as_DevicePaired()) return paired_text(*paired);
  if (const auto* revoked = event.fact_as_DeviceRevoked()) {
    return with_note(fmt::format("device {} revoked: it has no access any more", text(revoked->device())),
                     revoked->note());
  }
  if (const auto* seen = event.fact_as_DeviceSeen())
    return fmt::format("device {} used from {}", text(seen->device()), text(seen->address()));
  if (const auto* taken = event.fact_as_PushSubscribed())
    return fmt::format("device {} is notified by push of {}, through {}", text(taken->device()),
                       joined_names(taken->kinds()), text(taken->service()));
  if (const auto* ended = event.fact_as_PushEnded())
    return with_note(fmt::format("device {} is not notified by push any more", text(ended->device())),
                     ended->note());
  return "something about a device that this program does not know";
}

}  // namespace luzia
