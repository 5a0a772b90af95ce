#include "tools/read/listing.h"

#include "engine/base/local_time.h"
#include "tools/read/machines_source.h"

namespace luzia {

Table chosen_of(const Session& session, const Table& all) {
  const auto& columns = session.options().columns;
  return columns.empty() ? all : all.with_columns(columns);
}

const RowMachines* row_machines(const Session& session) {
  return session.machines() == nullptr ? nullptr : &session.machines()->machines();
}

void report_place(Session& session, const RowPage& page) {
  if (session.machines() != nullptr) {
    if (session.machines()->is_cut()) session.console().say("there are more rows: --limit N shows them");
    return;
  }
  if (!session.options().at.is_now()) {
    session.console().say(page.position == 0 ? "the log had no event then"
                                             : "as of position " + std::to_string(page.position));
  } else if (session.last_event()) {
    session.console().say_to_person("as of the last event, " + format_local(*session.last_event()));
  }
  if (!page.next.empty()) session.console().say("more: --cursor " + page.next);
}

}  // namespace luzia
