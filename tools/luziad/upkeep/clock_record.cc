#include "tools/luziad/upkeep/clock_record.h"

#include <sstream>

#include "engine/base/store_file.h"

namespace luzia {
namespace {

/// The steps recorded after `position`; nullopt: the log cannot be read.
std::optional<TimeUs> steps_behind(const EventLog& log, Position position) {
  TimeUs sum = 0;
  if (log.tip().position == position) return sum;
  const auto cursor = log.read_from(position + 1);
  while (true) {
    const auto group = cursor->next();
    if (!group) return std::nullopt;
    if (!*group) return sum;
    for (const schema::Event* event : (*group)->events()) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* step = system != nullptr ? system->fact_as_ClockStepped() : nullptr;
      if (step != nullptr && event->position() > position) sum += step->step_us();
    }
  }
}

}  // namespace

std::optional<TimeUs> ClockRecord::offset(const EventLog& log) const {
  const auto written = read_store_file(path_);
  if (!written || !*written) return std::nullopt;
  std::istringstream in(**written);
  std::string boot;
  TimeUs offset = 0;
  Position position = 0;
  if (!(in >> boot >> offset >> position) || boot != boot_id_) return std::nullopt;
  if (position > log.tip().position || position < log.base().position) return std::nullopt;
  const auto steps = steps_behind(log, position);
  return steps ? std::optional(offset + *steps) : std::nullopt;
}

Status ClockRecord::write(TimeUs offset, Position position) const {
  return write_store_file(path_,
                          boot_id_ + ' ' + std::to_string(offset) + ' ' + std::to_string(position) + '\n');
}

}  // namespace luzia
