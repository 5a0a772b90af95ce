// Schedules as luzia schedule and the API list them, now or in the past.
#include "projections/rows/schedule_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {

Result<int> show_schedules(Session& session) {
  constexpr std::uint32_t kUsualSchedules = 200;
  return list_rows<view::Schedule>(
      session, session.query(wire::View::schedules), session.options().limit.value_or(kUsualSchedules),
      [](TimeUs as_of) -> Shapes<view::Schedule> {
        return {"schedules", schedule_json,
                [as_of](const auto& rows, Form form) { return schedules_table(rows, as_of, form); },
                "no schedule; a [[schedules]] in luzia.toml is one (luzia config path)"};
      });
}

}  // namespace luzia
