#include "tools/luzia-query/erased_since.h"

#include "tools/read/pages.h"

namespace luzia {

Result<bool> erased_since(Session& session, Position written) {
  auto source = session.still_source();
  if (!source) return tl::unexpected(source.error());
  wire::QueryT query;
  query.view = wire::View::events;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = true;
  query.cursor = std::to_string(written);
  bool erased = false;
  const Status read = visit_pages(**source, std::move(query), 0, [&](const RowPage& page) -> Status {
    const auto events = events_of(page);
    if (!events) return tl::unexpected(events.error());
    for (const schema::Event* event : *events) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* text = system == nullptr ? nullptr : system->fact_as_BlobErased();
      erased = erased || (text != nullptr && text->position() <= written);
      session.console().show_progress("looking for what was erased", event->position(), page.position);
    }
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return erased;
}

}  // namespace luzia
