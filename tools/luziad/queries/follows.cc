#include "tools/luziad/queries/follows.h"

#include <algorithm>

#include "engine/event/job_state.h"
#include "projections/jobs.h"
#include "projections/query.h"

namespace luzia {
namespace {

constexpr std::size_t kBatchEvents = 1000;
constexpr std::size_t kBatchBytes = 512 * 1024;

void add_event(wire::EventsT& reply, const Group& group, std::size_t i) {
  const Bytes bytes = group.event_bytes(i);
  auto row = std::make_unique<wire::RowT>();
  row->data.assign(bytes.begin(), bytes.end());
  reply.events.push_back(std::move(row));
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool Follows::Choice::wants(const schema::Event& event, const ViewReader* rows) {
  if (since_us != 0 && event.time_us() < since_us) return false;
  if (until_us != 0 && event.time_us() >= until_us) return false;
  const std::string_view stream = text(event.stream());
  if (!jobs.empty() && !contains(jobs, job_of_stream(stream))) return false;
  if (by_job() && !takes_job(job_of_stream(stream), rows)) return false;
  if (projects.empty() && !may_see) return true;
  auto it = project_of.find(stream);
  if (it == project_of.end()) {
    std::string project;
    const auto* job = event.payload_as_JobEvent();
    const schema::JobSpec* spec = job != nullptr ? spec_of_new_job(*job) : nullptr;
    if (spec != nullptr) {
      project = text(spec->project());
    } else if (rows != nullptr) {
      project = project_of_stream(*rows, stream);
    }
    if (project.empty()) return projects.empty() && may_see(project);  // it may have one later
    it = project_of.emplace(std::string(stream), std::move(project)).first;
  }
  return contains(projects, it->second) && (!may_see || may_see(it->second));
}

bool Follows::Choice::takes_job(std::string_view id, const ViewReader* rows) const {
  if (id.empty() || rows == nullptr) return false;
  const auto row = find_job_row(*rows, id);
  if (!row || !contains(agents, row->agent)) return false;
  if (!states.empty() && !names_state(states, row->state)) return false;
  return std::ranges::all_of(
      tags, [&](const std::string& tag) { return std::ranges::find(row->tags, tag) != row->tags.end(); });
}

bool Follows::watches(const std::string& job) const {
  return std::ranges::any_of(follows_, [&](const auto& each) {
    const std::vector<std::string>& jobs = each.second.choice->jobs;
    if (!each.second.live) return false;
    return jobs.empty() ? watches_all_of(each.second, job) : std::ranges::find(jobs, job) != jobs.end();
  });
}

bool Follows::watches_all_of(const Following& following, const std::string& job) const {
  const Choice& choice = *following.choice;
  if (!following.watching) return false;
  if (choice.projects.empty() && !choice.may_see) return true;
  const std::string project = project_of(job);
  return contains(choice.projects, project) && (!choice.may_see || choice.may_see(project));
}

std::string Follows::project_of(const std::string& job) const {
  const JobState* state = desk_.engine.find_live(job);
  if (state != nullptr && state->spec) return state->spec->project;
  return project_of_stream(*store_.views.snapshot(), "job/" + job);
}

std::string Follows::lost_project(const Choice& before, const Choice& now) const {
  const auto is_lost = [&](const std::string& project) {
    return before.may_see(project) && !now.may_see(project);
  };
  for (const std::string& project : now.projects) {
    if (is_lost(project)) return project;
  }
  for (const std::string& job : now.jobs) {
    if (std::string project = project_of(job); is_lost(project)) return project;
  }
  return {};
}

void Follows::config_changed() {
  for (auto next = follows_.begin(); next != follows_.end();) {
    const auto at = next++;
    auto& [to, following] = *at;
    const Choice& before = *following.choice;
    if (!before.may_see) continue;
    // A new object: a worker may be using the old one, including its cache.
    auto now = std::make_shared<Choice>();
    static_cast<Filter&>(*now) = before;
    now->may_see = project_filter(desk_.config, following.caller);
    const std::string lost = lost_project(before, *now);
    following.choice = std::move(now);
    if (lost.empty()) continue;
    const Error why = no_longer_allowed(following.caller, lost);
    const RequestId whom = to;
    follows_.erase(at);
    refuse(desk_, whom, why);
  }
}

Status Follows::add(const RequestId& to, const Caller& caller, const wire::Follow& request) {
  const std::shared_ptr<wire::FollowT> copy(request.UnPack());
  if (!copy->filter || copy->filter->jobs.empty()) return begin(to, caller, *copy, {});
  return queries_.resolve(to, copy->filter->jobs, caller, [this, to, caller, copy](auto ids) -> Status {
    return begin(to, caller, *copy, std::move(ids));
  });
}

Status Follows::begin(const RequestId& to, const Caller& caller, const wire::FollowT& request,
                      std::vector<std::string> job_ids) {
  Following following;
  following.cursor = request.from_now ? desk_.engine.durable() : request.since;
  following.live = request.live;
  following.watching = request.watching;
  following.caller = caller;
  following.choice = std::make_shared<Choice>();
  Choice& choice = *following.choice;
  choice.jobs = std::move(job_ids);
  choice.may_see = project_filter(desk_.config, caller);
  if (request.filter) {
    choice.projects = request.filter->projects;
    choice.agents = request.filter->agents;
    choice.tags = request.filter->tags;
    choice.states = request.filter->states;
    choice.since_us = request.filter->since_us;
    choice.until_us = request.filter->until_us;
  }
  if (const Position end = desk_.engine.durable(); following.live && following.cursor > end) {
    return fail(
        ErrorKind::usage, "no_such_position",
        "the log has no position " + std::to_string(following.cursor) + ": it ends at " + std::to_string(end),
        "luzia follow --since now goes on from its end");
  }
  LUZIA_TRY(may_subscribe(desk_, to, follows_));
  follows_.emplace(to, std::move(following));
  read_past(to);
  return {};
}

Follows::Following* Follows::find(const RequestId& to) {
  const auto it = follows_.find(to);
  return it == follows_.end() ? nullptr : &it->second;
}

/// The rows must include the projects of the events read.
void Follows::read_past(const RequestId& to) {
  Following* following = find(to);
  if (following == nullptr || following->reading) return;
  following->reading = true;
  const Position durable = desk_.engine.durable();
  if (!following->choice->by_rows()) return read_log(to, ~Position{0});
  if (store_.view_thread.position() >= durable) return read_log(to, durable);
  store_.when_at(durable, [this, to, durable] {
    const Status folded = store_.view_thread.status();
    if (folded || find(to) == nullptr) return read_log(to, durable);
    follows_.erase(to);
    refuse(desk_, to, folded.error());
  });
}

/// A part of the log, read by a worker.
struct Follows::Reading {
  Position from = 0, until = 0;
  std::shared_ptr<Choice> choice = {};
  std::unique_ptr<ViewReader> rows = {};
  wire::EventsT reply = {};
  Status status = {};
  bool at_end = false;

  void read(const EventLog& log) {
    const auto cursor = log.read_from(from + 1);
    std::size_t bytes = 0;
    reply.position = from;
    while (reply.events.size() < kBatchEvents && bytes < kBatchBytes) {
      auto group = cursor->next();
      if (!group) {
        status = tl::unexpected(group.error());
        return;
      }
      at_end = !*group || (*group)->first_position() > until;
      if (at_end) return;
      for (std::size_t i = 0; i < (*group)->events().size(); ++i) {
        const schema::Event& event = *(*group)->events()[i];
        if (event.position() <= from || !choice->wants(event, rows.get())) continue;
        bytes += (*group)->event_bytes(i).size();
        add_event(reply, **group, i);
      }
      reply.position = (*group)->last_position();
    }
  }
};

void Follows::read_log(const RequestId& to, Position until) {
  const Following* following = find(to);
  if (following == nullptr) return;
  auto reading = std::make_shared<Reading>();
  reading->from = following->cursor;
  reading->until = until;
  reading->choice = following->choice;
  reading->rows = store_.views.snapshot();
  workers_.run([reading, &log = store_.log] { reading->read(log); },
               [this, to, reading] { was_read(to, *reading); });
}

void Follows::was_read(const RequestId& to, Reading& reading) {
  Following* following = find(to);
  if (following == nullptr) return;
  following->reading = false;
  // The permissions changed meanwhile: read again.
  if (following->choice != reading.choice) return read_past(to);
  // Without the rows, some events were skipped.
  if (reading.status) reading.status = reading.rows->status();
  if (!reading.status) {
    follows_.erase(to);
    return refuse(desk_, to, reading.status.error());
  }
  following->cursor = reading.reply.position;
  const bool end = reading.at_end && following->cursor >= desk_.engine.durable();
  const bool live = following->live;
  following->caught_up = end;
  reading.reply.caught_up = end;
  if (!reading.reply.events.empty() || end) send_reply(desk_, to, std::move(reading.reply));
  if (end && !live) {
    follows_.erase(to);
  } else if (!end && !desk_.server.full(to.connection)) {
    read_past(to);
  }
}

void Follows::send(const RequestId& to, const Group& group, Following& following) {
  wire::EventsT reply;
  std::unique_ptr<ViewReader> rows;
  if (following.choice->by_rows()) rows = store_.views.snapshot();
  if (rows && rows->cursor().position < group.last_position()) {
    following.caught_up = false;  // continues from the log once the rows are there
    return;
  }
  for (std::size_t i = 0; i < group.events().size(); ++i) {
    const schema::Event& event = *group.events()[i];
    if (event.position() > following.cursor && following.choice->wants(event, rows.get()))
      add_event(reply, group, i);
  }
  // Without the rows, some events were skipped: the daemon is about to restart, and the client subscribes
  // again.
  if (rows && !rows->status()) return;
  following.cursor = std::max(following.cursor, group.last_position());
  if (reply.events.empty()) return;
  reply.position = following.cursor;
  reply.caught_up = true;
  send_reply(desk_, to, std::move(reply));
}

void Follows::committed(const std::shared_ptr<const Group>& group) {
  for (auto& [to, following] : follows_) {
    if (!following.caught_up || following.reading) continue;
    if (desk_.server.full(to.connection)) {
      following.caught_up = false;  // continues from the log when drained
      continue;
    }
    if (following.cursor + 1 < group->first_position()) {
      following.caught_up = false;
      continue;
    }
    send(to, *group, following);
  }
  // A subscriber that fell behind but is not full continues from the log.
  std::vector<RequestId> behind;
  for (const auto& [to, following] : follows_) {
    if (!following.caught_up && !following.reading && !desk_.server.full(to.connection)) behind.push_back(to);
  }
  for (const RequestId& to : behind) read_past(to);
}

void Follows::drained(ConnectionId connection) {
  std::vector<RequestId> behind;
  for (const auto& [to, following] : follows_) {
    if (to.connection == connection && !following.caught_up) behind.push_back(to);
  }
  for (const RequestId& to : behind) read_past(to);
}

}  // namespace luzia
