#include "engine/core/device_book.h"

namespace luzia {

void DeviceBook::load(Device row) {
  if (row.revoked_us != 0 || row.paired_us == 0) return;
  Devices::Known known;
  if (row.seen_us != 0) known.seen.emplace_back(row.address, row.seen_us);
  std::string id = row.device;
  known.row = std::move(row);
  devices_.by_id.insert_or_assign(std::move(id), std::move(known));
}

Result<Outcome> DeviceBook::run(const CommandMeta& meta, ToDevices& item) {
  auto events = LUZIA_TRY(decide(devices_, std::move(item.command), meta.now));
  Outcome outcome;
  outcome.known = events.empty();
  std::vector<StagedEvent> staged;
  for (NewEvent& event : events) {
    outcome.ids.emplace_back(device_of_stream(event.stream));
    LUZIA_TRY(writer_.stage(meta, std::move(event), 0, nullptr, staged));
  }
  // append() takes the bytes away.
  for (const StagedEvent& event : staged) evolve(devices_, *schema::GetEvent(event.encoded.data()));
  writer_.append(staged);
  outcome.position = writer_.last_decided();
  return outcome;
}

}  // namespace luzia
