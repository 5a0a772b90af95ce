// tell: says something to a job's agent.
#include <algorithm>

#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/json_object.h"
#include "projections/rows/told_rows.h"
#include "tools/luzia/ask/told_message.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/signals.h"
#include "tools/luzia/text_file.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr Option kTellOptions[] = {
    {"--file", ValueKind::texts, "FILE", "say what is in this file, too", "", Completes::file},
    {"--comment", ValueKind::texts, "FILE:LINE:TEXT", "comment on a line, or on lines FIRST-LAST"},
    {"--resume", ValueKind::flag, "", "if the job has ended, it goes on with the message at once"},
    {"--wait", ValueKind::flag, "", "wait until it is read; exit code 1 if the job ends before that"},
    kCommandIdOption};

/// What will happen with it, by the daemon's word.
std::string expected_words(const std::string& job, const std::string& way) {
  if (way == "next_call") return "its agent reads it at its next tool call";
  if (way == "if_hook")
    return "its agent reads it at its next tool call, if it runs luzia hook (luzia init AGENT); else with "
           "its "
           "next attempt";
  if (way == "on_resume") return "the job has ended: luzia retry " + job + " goes on with it";
  return "it will be in the prompt of its next attempt";
}

/// What a wait has found out.
struct Reading {
  TimeUs read_us = 0;  // 0: it is not read
  std::uint32_t attempt = 0;
  schema::ToldHow how = schema::ToldHow::prompt;
  int signal = 0;  // that ended the wait
};

std::string told_json(const wire::AcceptedT& accepted, const std::string& job, const Reading& reading) {
  JsonObject object;
  object.text("id", accepted.ids.front());
  object.text("job", job);
  object.text_or_null("expected", accepted.ids.size() > 1 ? accepted.ids[1] : std::string());
  object.time("read_at", reading.read_us);
  object.number_or_null("attempt", reading.attempt);
  const bool is_read = reading.read_us != 0;
  object.text_or_null("how", is_read ? schema::EnumNameToldHow(reading.how) : std::string_view());
  object.number("position", accepted.position);
  object.boolean("repeated", accepted.repeated);
  return object.take();
}

void note_reading(const wire::Events& events, const std::string& id, Reading& reading) {
  if (events.events() == nullptr) return;
  for (const wire::Row* row : *events.events()) {
    if (row->data() == nullptr) continue;
    const auto* event = verified_row<schema::Event>({row->data()->data(), row->data()->size()});
    const auto* life = event == nullptr ? nullptr : event->payload_as_JobEvent();
    const auto* fact = life == nullptr ? nullptr : life->fact_as_JobToldRead();
    if (fact == nullptr || fact->messages() == nullptr) continue;
    const auto has_id = [&id](const auto* message) { return message->string_view() == id; };
    if (std::ranges::none_of(*fact->messages(), has_id)) continue;
    reading = {event->time_us(), fact->attempt(), fact->how(), 0};
  }
}

wire::FollowT follow_of(const std::string& job, Position since) {
  wire::FollowT follow;
  follow.since = since;
  follow.filter = std::make_unique<wire::FilterT>();
  follow.filter->jobs = {job};
  return follow;
}

/// Reads the job's events after `since` up to now, and sets `since` to where they end.
Status read_events(Client& client, const std::string& job, const std::string& id, Position& since,
                   Reading& reading) {
  LUZIA_TRY(client.send(request_of(follow_of(job, since))));
  for (;;) {
    const auto* events = LUZIA_TRY(client.next())->reply_as_Events();
    if (events == nullptr) continue;
    note_reading(*events, id, reading);
    since = std::max<Position>(since, events->position());
    if (events->caught_up()) return {};
  }
}

/// Waits until the job has an event later than `since` (returns 0), or until a signal (returns it).
Result<int> await_event_of(Client& follower, const std::string& job, Position since) {
  const StopSignals signals;
  wire::FollowT follow = follow_of(job, since);
  follow.live = true;
  LUZIA_TRY(follower.send(request_of(std::move(follow))));
  return signals.wait_for_event(follower);
}

/// The job's row has only its newest messages, so its events say whether one is read.
Result<Reading> wait_for_reading(Invocation& invocation, Client& client, const std::string& job,
                                 const std::string& id, Position since) {
  for (Reading reading;;) {
    const auto page = LUZIA_TRY(ask_job(invocation, client, job));
    const bool is_over = is_terminal(page.as<view::Job>().front()->state());
    auto follower = LUZIA_TRY(invocation.connect());
    // These events are at least as new as the row.
    const Status read = read_events(follower, job, id, since, reading);
    if (!read && read.error().code != "connection_lost") return tl::unexpected(read.error());
    if (!read) continue;
    if (reading.read_us != 0 || is_over) return reading;
    const auto came = await_event_of(follower, job, since);
    if (!came && came.error().code != "connection_lost") return tl::unexpected(came.error());
    if (came && *came != 0) return Reading{0, 0, schema::ToldHow::prompt, *came};
  }
}

Result<int> wait_and_tell(Invocation& invocation, Client& client, const wire::AcceptedT& accepted,
                          const std::string& job) {
  const auto reading =
      LUZIA_TRY(wait_for_reading(invocation, client, job, accepted.ids.front(), accepted.position));
  if (invocation.json()) print_line(told_json(accepted, job, reading));
  if (reading.signal != 0) {
    invocation.say("the message stays; luzia job " + job + invocation.place_options() +
                   " says when it was read");
    return kSignalBase + reading.signal;
  }
  if (reading.read_us == 0) {
    invocation.say("the job has ended without reading it: luzia retry " + job + invocation.place_options() +
                   " goes on with it");
    return 1;
  }
  if (!invocation.json())
    print_line(read_words(reading.attempt, reading.how) + " at " + format_local(reading.read_us));
  return 0;
}

Result<int> tell_job(Invocation& invocation, const ToldMessage& message) {
  const Arguments& args = invocation.args();
  auto client = LUZIA_TRY(invocation.connect());
  wire::TellJobT request;
  request.job = LUZIA_TRY(full_id(invocation, client, args.positionals().front()));
  request.text = message.text;
  request.files = message.files;
  request.resume = args.has("resume");
  request.channel = "cli";
  request.command_id = command_id_of(args);
  const std::string job = request.job;
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  const std::string way = accepted.ids.size() > 1 ? accepted.ids[1] : std::string();
  const bool waits = args.has("wait");
  if (!waits && invocation.json()) {
    print_line(told_json(accepted, job, Reading()));
  } else {
    invocation.say(accepted.ids.front() + " is told to job " + job + ": " + expected_words(job, way));
  }
  return waits ? wait_and_tell(invocation, client, accepted, job) : Result<int>(0);
}

Result<int> run_tell(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto& words = args.positionals();
  std::string said = words.size() > 1 ? words[1] : std::string();
  if (said == "-") said = LUZIA_TRY(read_text("-"));
  const auto message = LUZIA_TRY(compose_message(said, args.texts("file"), args.texts("comment")));
  return run_where_it_is(invocation, [&] { return tell_job(invocation, message); });
}

}  // namespace

const Command kTellCommand = {
    "tell",
    "Ask and answer",
    "JOB TEXT [--file FILE]... [--comment FILE:LINE:TEXT]... [--resume] [--wait]\nJOB - [...]",
    "say something to a job's agent",
    "While it works, a coding agent reads it at its next tool call, if luzia init has entered luzia hook in "
    "its settings; its own hooks pass it on to the model. Otherwise it is in the prompt of the job's next "
    "attempt: of a queued, parked or retried one. A job that has ended keeps it for luzia retry; --resume "
    "goes "
    "on at once. luzia job shows by whom a message is, and when it was read: then the agent's program has "
    "it. - "
    "reads TEXT from standard input. A message has at most 64 KiB with its files. A job that runs a command "
    "(agent "
    "shell) takes none, and the agent of a job may tell others, but not itself.",
    "luzia tell @last 'Use the staging database instead'\n"
    "luzia tell 0kx8 'Please correct these' --comment 'src/main.cc:12:why not const?'\n"
    "luzia tell 0kx8 - --file notes.md < words.txt\n"
    "luzia tell 0kx8 'One more thing: update the changelog' --resume --wait",
    kTellOptions,
    {1, 2, Completes::job},
    run_tell,
    kNeedsStore};

}  // namespace luzia
