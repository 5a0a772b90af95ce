// tell: says something to a job's agent.
#include <optional>

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

std::string told_json(const wire::AcceptedT& accepted, const std::string& job,
                      const view::ToldMessage* read) {
  JsonObject object;
  object.text("id", accepted.ids.front());
  object.text("job", job);
  object.text_or_null("expected", accepted.ids.size() > 1 ? accepted.ids[1] : std::string());
  object.time("read_at", read == nullptr ? 0 : read->read_us());
  object.number_or_null("attempt", read == nullptr ? 0U : read->attempt());
  object.text_or_null("how", read == nullptr ? std::string_view() : schema::EnumNameToldHow(read->how()));
  object.number("position", accepted.position);
  object.boolean("repeated", accepted.repeated);
  return object.take();
}

/// Waits until the job has an event later than `since` (returns 0), or until a signal (returns it).
Result<int> await_event_of(Client& follower, const std::string& job, Position since) {
  const StopSignals signals;
  wire::FollowT follow;
  follow.since = since;
  follow.live = true;
  follow.filter = std::make_unique<wire::FilterT>();
  follow.filter->jobs = {job};
  LUZIA_TRY(follower.send(request_of(std::move(follow))));
  for (;;) {
    const auto frame = signals.receive(follower, std::chrono::milliseconds(-1));
    if (const int signal = signals.take(); signal != 0) return signal;
    if (!frame) return tl::unexpected(frame.error());
    if (*frame == nullptr) continue;
    if (const auto* refused = (*frame)->reply_as_Refused()) return tl::unexpected(error_from(*refused));
    const auto* events = (*frame)->reply_as_Events();
    if (events != nullptr && events->events() != nullptr && events->events()->size() > 0) return 0;
  }
}

/// How a wait ended.
struct Reading {
  std::optional<Page> page;                    // holds `message`
  const view::ToldMessage* message = nullptr;  // that was read; null: the job has ended, or a signal came
  int signal = 0;
};

const view::ToldMessage* find_message(const view::Job& job, const std::string& id) {
  if (job.told() == nullptr) return nullptr;
  for (const auto* told : *job.told()) {
    if (text(told->id()) == id) return told;
  }
  return nullptr;
}

Result<Reading> wait_for_reading(Invocation& invocation, Client& client, const std::string& job,
                                 const std::string& id) {
  for (;;) {
    auto page = LUZIA_TRY(ask_job(invocation, client, job));
    const view::Job& row = *page.as<view::Job>().front();
    const view::ToldMessage* told = find_message(row, id);
    if (told != nullptr && told->read_us() != 0) return Reading{std::move(page), told, 0};
    if (is_terminal(row.state())) return Reading{};
    auto follower = LUZIA_TRY(invocation.connect());
    const auto came = await_event_of(follower, job, page.position());
    if (!came && came.error().code != "connection_lost") return tl::unexpected(came.error());
    if (came && *came != 0) return Reading{{}, nullptr, *came};
  }
}

Result<int> wait_and_print(Invocation& invocation, Client& client, const wire::AcceptedT& accepted,
                           const std::string& job) {
  const auto reading = LUZIA_TRY(wait_for_reading(invocation, client, job, accepted.ids.front()));
  const view::ToldMessage* told = reading.message;
  if (invocation.json()) print_line(told_json(accepted, job, told));
  if (reading.signal != 0) {
    invocation.say("the message stays; luzia job " + job + invocation.place_options() +
                   " says when it was read");
    return kSignalBase + reading.signal;
  }
  if (told == nullptr) {
    invocation.say("the job has ended without reading it: luzia retry " + job + invocation.place_options() +
                   " goes on with it");
    return 1;
  }
  if (!invocation.json())
    print_line(read_words(told->attempt(), told->how()) + " at " + format_local(told->read_us()));
  return 0;
}

Result<int> run_tell(Invocation& invocation) {
  const Arguments& args = invocation.args();
  const auto& words = args.positionals();
  std::string said = words.size() > 1 ? words[1] : std::string();
  if (said == "-") said = LUZIA_TRY(read_text("-"));
  auto message = LUZIA_TRY(compose_message(said, args.texts("file"), args.texts("comment")));
  auto client = LUZIA_TRY(invocation.connect());
  wire::TellJobT request;
  request.job = LUZIA_TRY(full_id(invocation, client, words.front()));
  request.text = std::move(message.text);
  request.files = std::move(message.files);
  request.resume = args.has("resume");
  request.channel = "cli";
  request.command_id = command_id_of(args);
  const std::string job = request.job;
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  const std::string way = accepted.ids.size() > 1 ? accepted.ids[1] : std::string();
  const bool waits = args.has("wait");
  if (!waits && invocation.json()) {
    print_line(told_json(accepted, job, nullptr));
  } else {
    invocation.say(accepted.ids.front() + " is told to job " + job + ": " + expected_words(job, way));
  }
  return waits ? wait_and_print(invocation, client, accepted, job) : Result<int>(0);
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
    "on at once. Each message is read once; luzia job shows by whom it is, and when it was read. - reads "
    "TEXT "
    "from standard input. A message has at most 64 KiB with its files. A job that runs a command (agent "
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
