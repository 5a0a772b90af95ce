#include "tools/read/listing.h"

#include "engine/base/local_time.h"

namespace luzia {

void report_place(Session& session, const RowPage& page) {
  if (!session.options().at.is_now()) {
    session.console().say("as of position " + std::to_string(page.position));
  } else if (session.last_event()) {
    session.console().say_to_person("as of the last event, " + format_local(*session.last_event()));
  }
  if (!page.next.empty()) session.console().say("more: --cursor " + page.next);
}

Status refuse_job_filters(Session& session) {
  const Arguments& args = session.invocation().args();
  return refuse_filters(session.invocation().command(), args, {"job", "tag", "state"},
                        "it adds up days, which do not know their jobs",
                        session.name() + " jobs takes it; add --csv for sums of your own");
}

}  // namespace luzia
