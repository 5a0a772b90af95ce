#include "tools/luzia-query/erased_since.h"

#include "engine/base/try.h"
#include "tools/read/pages.h"

namespace luzia {

Result<bool> erased_since(Session& session, Position written) {
  Source* const source = LUZIA_TRY(session.still_source());
  wire::QueryT query;
  query.view = wire::View::events;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = true;
  query.cursor = std::to_string(written);
  bool erased = false;
  LUZIA_TRY(visit_pages(*source, std::move(query), 0, [&](const RowPage& page) -> Status {
    const auto events = LUZIA_TRY(events_of(page));
    for (const schema::Event* event : events) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* text = system == nullptr ? nullptr : system->fact_as_BlobErased();
      erased = erased || (text != nullptr && text->position() <= written);
      session.console().show_progress("looking for what was erased", event->position(), page.position);
    }
    return {};
  }));
  return erased;
}

}  // namespace luzia
