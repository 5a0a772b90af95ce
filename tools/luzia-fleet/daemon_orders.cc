#include "tools/luzia-fleet/daemon_orders.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "tools/read/daemon_source.h"
#include "view.fb.h"

namespace luzia {
namespace {

wire::QueryT query_of(wire::View view, std::vector<std::string> jobs) {
  wire::QueryT query = view_query(view);
  query.limit = kMaxLimit;
  query.filter->jobs = std::move(jobs);
  return query;
}

}  // namespace

Result<wire::ReplyUnion> DaemonOrders::ask(const std::string& person, const wire::RequestUnion& request) {
  Client client = LUZIA_TRY(connect_(person));
  const auto id = LUZIA_TRY(client.send(request));
  while (true) {
    const wire::ServerFrame* frame = LUZIA_TRY(client.receive());
    if (frame == nullptr || (frame->id() != id && frame->id() != 0)) continue;
    const wire::Refused* refused = frame->reply_as_Refused();
    if (refused == nullptr && frame->id() == 0) continue;
    if (refused == nullptr) return std::move(std::unique_ptr<wire::ServerFrameT>(frame->UnPack())->reply);
    Error error = client.error_of(*refused);
    if (frame->id() == id && error.kind == ErrorKind::trouble) error.code = kLater;
    return tl::unexpected(std::move(error));
  }
}

Status DaemonOrders::visit_rows(wire::QueryT query, const std::function<Status(const RowPage&)>& visit) {
  const auto connect = [this] { return connect_(""); };
  DaemonSource rows(LUZIA_TRY(connect()), connect);
  do {
    const auto page = LUZIA_TRY(rows.query(query));
    LUZIA_TRY(visit(page));
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return {};
}

Result<std::vector<HeldJob>> DaemonOrders::held_jobs() {
  constexpr std::size_t kAskedAtOnce = 100;
  std::vector<std::string> ids;
  wire::QueryT queued = query_of(wire::View::jobs, {});
  queued.filter->states = {schema::JobState::queued};
  LUZIA_TRY(visit_rows(std::move(queued), [&ids](const RowPage& page) -> Status {
    const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
    for (const view::Job* job : jobs) {
      if (job->held()) ids.emplace_back(text(job->id()));
    }
    return {};
  }));
  std::vector<HeldJob> held;
  for (std::size_t at = 0; at < ids.size(); at += kAskedAtOnce) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), at + kAskedAtOnce));
    LUZIA_TRY(
        visit_rows(query_of(wire::View::waiting, {first, last}), [&held](const RowPage& page) -> Status {
          const auto waits = LUZIA_TRY(rows_of<view::Waiting>(page));
          for (const view::Waiting* wait : waits) {
            if (wait->what() != view::WaitsFor::release || wait->subjects() == nullptr ||
                wait->subjects()->size() == 0)
              continue;
            held.push_back({std::string(text(wait->job())), wait->subjects()->Get(0)->str()});
          }
          return {};
        }));
  }
  return held;
}

Result<std::optional<std::string>> DaemonOrders::project_of(const std::string& job) {
  std::optional<std::string> project;
  LUZIA_TRY(visit_rows(query_of(wire::View::jobs, {job}), [&](const RowPage& page) -> Status {
    const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
    for (const view::Job* each : jobs) {
      if (text(each->id()) == job) project = text(each->project());
    }
    return {};
  }));
  return project;
}

Result<JobRoom> DaemonOrders::room(std::uint32_t slots) {
  JobRoom room{.slots = slots};
  LUZIA_TRY(visit_rows(jobs_for_room(false), [&room](const RowPage& page) -> Status {
    for (const view::Job* job : LUZIA_TRY(rows_of<view::Job>(page))) room.add(*job);
    return {};
  }));
  LUZIA_TRY(visit_rows(view_query(wire::View::switches), [&room](const RowPage& page) -> Status {
    for (const view::QueueSwitch* each : LUZIA_TRY(rows_of<view::QueueSwitch>(page))) room.add(*each);
    return {};
  }));
  return room;
}

}  // namespace luzia
