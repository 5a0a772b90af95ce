// Inputs: what people and other agents tell a job's agent, and how it hears of it.
#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/job/told_state.h"
#include "engine/ports/agent.h"
#include "projections/live_jobs.h"
#include "projections/stream_events.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/attempts/told_text.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/inputs/inputs.h"

namespace luzia {
namespace {

constexpr std::string_view kOfTool = "tool";  // TakeTold.event, beside the result of a tool of ours
constexpr std::size_t kMostFiles = 64, kMostFileName = 1'024;

/// The event of its agent's hook that reaches the model; empty: none.
std::string_view told_event_of(const schema::JobSpecT& spec) {
  const Agent* agent = agent_of(spec.agent, spec.command);
  return agent == nullptr ? std::string_view() : agent->told_event;
}

bool is_clean(std::string_view words) {
  return words.find('\0') == std::string_view::npos && bounded_utf8(words, words.size()) == words;
}

/// `read`: the ids of its messages.
Result<std::string> told_words(const EventLog& log, const JobState& job,
                               const std::vector<std::string>& read) {
  std::vector<Said> said;
  for (const auto& told : job.told) {
    if (!told->text || std::ranges::find(read, told->id) == read.end()) continue;
    std::string words = LUZIA_TRY(log.blob(told->position, told->text->index));
    said.push_back({told->from, told->from_job, std::move(words), false});
  }
  return told_text(said);
}

}  // namespace

Status Inputs::check_tell(const Caller& /*caller*/, const wire::TellJob& request) {
  const std::string_view channel = text(request.channel());
  if (channel != "cli" && channel != "web")
    return fail(ErrorKind::usage, "bad_channel", "a message comes by cli or web");
  bool clean = is_clean(text(request.text()));
  const std::size_t files = request.files() == nullptr ? 0 : request.files()->size();
  for (std::size_t i = 0; i < std::min(files, kMostFiles); ++i) {
    const std::string_view name = text(request.files()->Get(static_cast<flatbuffers::uoffset_t>(i)));
    clean = clean && name.size() <= kMostFileName && is_clean(name);
  }
  if (clean && files <= kMostFiles) return {};
  return fail(ErrorKind::usage, "bad_message",
              files > kMostFiles ? "the message has over 64 files"
                                 : "the message or the name of a file is not valid UTF-8, or contains a NUL "
                                   "character, or a name is over 1 KiB",
              "put it into a file that the agent can read, and name the file in the message");
}

const char* Inputs::expected_way(const std::string& job, bool resume) const {
  const JobState* state = desk_.engine.find_live(job);
  if (state == nullptr || is_terminal(state->state)) return resume ? "next_attempt" : "on_resume";
  const auto hooked = hooked_.find(job);
  const bool has_hook = hooked != hooked_.end() && hooked->second == state->attempt;
  if (!has_process(*state) || told_event_of(*state->spec).empty()) return "next_attempt";
  return has_hook ? "next_call" : "if_hook";
}

Status Inputs::tell(const RequestId& to, const Caller& caller, const wire::TellJob& request) {
  const auto copy = std::shared_ptr<wire::TellJobT>(request.UnPack());
  const auto kind = caller.job.empty() ? schema::ActorKind::person : schema::ActorKind::agent;
  CommandMeta meta = meta_of(caller, *copy, kind);
  const auto submit_it = [this, to, copy, meta, from = caller.job](const std::string& job) mutable -> Status {
    meta.now = wall_now();
    const JobState* state = desk_.engine.find_live(job);
    const auto ended = state == nullptr ? find_job_state(*store_.views.snapshot(), job) : std::nullopt;
    if (ended) state = &*ended;
    // The decision refuses one that is not there, or that Luzia never ran.
    if (state != nullptr && state->spec && !is_foreign(*state))
      LUZIA_TRY(takes_message(*state, copy->text.size(), "tell job " + job + " anything"));
    TellJob tell;
    tell.id = "m-" + ids_.next(meta.now);
    tell.text = salted_text(0, copy->text);
    tell.files = copy->files;
    tell.from_job = from;
    tell.channel = copy->channel;
    tell.resume = copy->resume;
    const auto accept = [this, to, id = tell.id,
                         way = expected_way(job, copy->resume)](const Outcome& outcome) -> Status {
      wire::AcceptedT accepted;
      accepted.ids = {id, way};
      accepted.position = outcome.position;
      accepted.repeated = outcome.repeated;
      if (outcome.repeated) {
        LUZIA_TRY(visit_events(store_.log, {outcome.position}, [&](const schema::Event& event, Bytes) {
          const auto* life = event.payload_as_JobEvent();
          const auto* told = life == nullptr ? nullptr : life->fact_as_JobTold();
          if (told != nullptr) accepted.ids.front() = text(told->message());
          return false;
        }));
      }
      return send_reply(desk_, to, std::move(accepted));
    };
    desk_.engine.submit(
        meta, to_one_job(job, std::move(tell)), [this, to, accept](const Result<Outcome>& outcome) {
          refuse_unless(desk_, to, outcome ? accept(*outcome) : tl::unexpected(outcome.error()));
        });
    return {};
  };
  return with_others_job(to, caller, copy->job, "tell", submit_it);
}

const JobState* Inputs::taking_job(const std::string& job, const wire::TakeToldT& request) {
  const JobState* state = desk_.engine.find_live(job);
  if (state == nullptr || !state->spec || !has_process(*state)) return nullptr;
  if (request.attempt != 0 && request.attempt != state->attempt) return nullptr;
  if (request.event == kOfTool) return state;
  if (request.event != told_event_of(*state->spec)) return nullptr;
  hooked_[job] = state->attempt;
  return state;
}

Status Inputs::take_told(const RequestId& to, const Caller& caller, const wire::TakeTold& request) {
  const auto copy = std::shared_ptr<wire::TakeToldT>(request.UnPack());
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::agent);
  const auto submit_it = [this, to, copy, meta](const std::string& job) mutable -> Status {
    meta.now = wall_now();
    for (const std::string& id : copy->shown) lent_.settle(job, id);
    const JobState* state = taking_job(job, *copy);
    if (state == nullptr) return send_reply(desk_, to, wire::AcceptedT{});
    ReadTold read;
    read.attempt = state->attempt;
    read.how = copy->event == kOfTool ? schema::ToldHow::tool : schema::ToldHow::hook;
    const bool tells = !copy->shown.empty();
    for (const auto& told : state->told) {
      // One that is not durable could still be lost.
      const bool is_there = told->position <= desk_.engine.durable();
      const bool is_meant = tells ? std::ranges::find(copy->shown, told->id) != copy->shown.end()
                                  : !lent_.is_lent(job, told->id, monotonic_now());
      if (is_there && is_meant && may_take(*state, *told)) read.messages.push_back(told->id);
    }
    // A client that lost its answer asks again for the same messages.
    const bool is_new = meta.command_id.empty() || !desk_.engine.is_repeated(meta);
    if (read.messages.empty() && is_new) return send_reply(desk_, to, wire::AcceptedT{});
    if (copy->confirms) return lend(to, *state, read.messages);
    return hand_out(to, meta, *state, std::move(read));
  };
  return with_own_job(to, caller, copy->job, "speak for", submit_it);
}

Status Inputs::lend(const RequestId& to, const JobState& job, const std::vector<std::string>& messages) {
  wire::AcceptedT accepted;
  accepted.ids = {LUZIA_TRY(told_words(store_.log, job, messages))};
  accepted.ids.insert(accepted.ids.end(), messages.begin(), messages.end());
  // The client may have gone while its job was looked up: then nothing would ever end this.
  if (desk_.server.is_open(to.connection)) {
    for (const std::string& id : messages) lent_.lend(job.job, id, to.connection, monotonic_now());
  }
  return send_reply(desk_, to, std::move(accepted));
}

Status Inputs::hand_out(const RequestId& to, const CommandMeta& meta, const JobState& job, ReadTold read) {
  std::string words = LUZIA_TRY(told_words(store_.log, job, read.messages));
  const auto accept = [this, to, job = job.job, words](const Outcome& outcome) -> Status {
    wire::AcceptedT accepted;
    accepted.ids = {words};
    accepted.position = outcome.position;
    accepted.repeated = outcome.repeated;
    if (outcome.repeated) {
      std::vector<std::string> ids;
      LUZIA_TRY(visit_events(store_.log, {outcome.position}, [&](const schema::Event& event, Bytes) {
        const auto* life = event.payload_as_JobEvent();
        const auto* fact = life == nullptr ? nullptr : life->fact_as_JobToldRead();
        if (fact == nullptr || fact->messages() == nullptr) return false;
        for (const auto* id : *fact->messages()) ids.push_back(id->str());
        return false;
      }));
      const JobState* state = desk_.engine.find_live(job);
      accepted.ids = {state == nullptr ? std::string() : LUZIA_TRY(told_words(store_.log, *state, ids))};
    }
    return send_reply(desk_, to, std::move(accepted));
  };
  const auto reply = [this, to, accept](const Result<Outcome>& outcome) {
    if (outcome) return refuse_unless(desk_, to, accept(*outcome));
    // Another call of the agent was first, or the attempt has ended: nothing is left to say.
    const std::string& code = outcome.error().code;
    if (code != "already_read" && code != "stale_attempt") return refuse(desk_, to, outcome.error());
    send_reply(desk_, to, wire::AcceptedT{});
  };
  desk_.engine.submit(meta, to_one_job(job.job, std::move(read)), reply);
  return {};
}

}  // namespace luzia
