#include "engine/job/told.h"

#include <algorithm>

#include "engine/job/decide_parts.h"
#include "engine/job/input_state.h"
#include "engine/job/job_removal.h"
#include "engine/job/told_state.h"

namespace luzia {
namespace {

view::ToldT* find_told(JobState& state, std::string_view id) {
  for (const auto& told : state.told) {
    if (told->id == id) return told.get();
  }
  return nullptr;
}

std::size_t told_bytes(const view::ToldT& told) {
  return told.text ? told.text->size : 0;
}

/// Whether there is room for one more unread message.
Status has_room_to_tell(const JobState& state, std::size_t bytes) {
  std::size_t count = 1;
  for (const auto& told : state.told) {
    if (told->read) continue;
    ++count;
    bytes += told_bytes(*told);
  }
  if (count <= kMostUnread && bytes <= kMostUnreadBytes) return {};
  return fail(ErrorKind::refused, "too_many_messages",
              "cannot tell job " + state.job + " more: its agent has not read the last " +
                  std::to_string(count - 1) + " messages",
              "luzia job " + state.job + " shows them");
}

Status can_be_told(const JobState& state, const TellJob& command) {
  if (state.removed) return refuse_removed(state, "tell");
  LUZIA_TRY(has_directory(state, "tell"));
  if (state.end_reason == schema::EndReason::imported) {
    return fail(ErrorKind::refused, "imported_job",
                "cannot tell job " + state.job + " anything: it was imported from another tool",
                "luzia retry " + state.job + " dispatches its task as a new job");
  }
  const std::string& words = command.text.content;
  if (words.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorKind::usage, "no_message", "the message is empty");
  if (words.size() > kMostToldBytes) {
    return fail(ErrorKind::usage, "message_too_long",
                "the message has " + std::to_string(words.size()) + " bytes; the limit is 64 KiB",
                "put it into a file that the agent can read, and name the file");
  }
  return has_room_to_tell(state, words.size());
}

}  // namespace

Decided decide_command(const JobState& state, const TellJob& command, TimeUs now) {
  LUZIA_TRY(can_be_told(state, command));
  schema::JobToldT fact;
  fact.message = command.id;
  fact.text = std::make_unique<schema::BlobRefT>(blob_ref(command.text));
  fact.files = command.files;
  fact.from_job = command.from_job;
  fact.channel = command.channel;
  Events events = one(job_event(state.job, std::move(fact)));
  events.back().blobs.push_back(command.text);
  if (!command.resume || !is_terminal(state.state)) return events;
  Events again = LUZIA_TRY(decide_command(state, RetryJob{"told something"}, now));
  for (NewEvent& event : again) events.push_back(std::move(event));
  return events;
}

Decided decide_command(const JobState& state, const ReadTold& command, TimeUs /*now*/) {
  if (is_stale(state, command.attempt) || !has_process(state)) {
    return fail(ErrorKind::refused, "stale_attempt",
                "attempt " + std::to_string(command.attempt) + " of job " + state.job + " is over");
  }
  schema::JobToldReadT fact;
  for (const std::string& id : command.messages) {
    const auto told = std::ranges::find(state.told, id, [](const auto& each) { return each->id; });
    if (told == state.told.end() || !may_take(state, **told)) {
      return fail(ErrorKind::refused, "already_read",
                  "message " + id + " of job " + state.job + " is read already");
    }
    fact.messages.push_back(id);
  }
  if (fact.messages.empty()) return Events{};
  fact.attempt = state.attempt;
  fact.how = command.how;
  return one(job_event(state.job, std::move(fact)));
}

bool may_take(const JobState& state, const view::ToldT& told) {
  return !told.read && told.attempt != state.attempt;
}

bool may_resume(const JobState& state) {
  return !state.session_id.empty() && !state.spec->resume_command.empty() && state.attempt > 1;
}

bool message_is_newest(const JobState& state) {
  const Position last = std::max(state.message_position, state.report_position);
  return last != 0 && std::ranges::none_of(state.answers, [&state, last](const std::string& id) {
           const view::InputRequestT* input = find_input(state, id);
           return input != nullptr && input->answer_position > last;
         });
}

bool goes_on_unasked(const JobState& state) {
  const auto is_deferred_call = [&state](const std::string& id) {
    const view::InputRequestT* input = find_input(state, id);
    return input != nullptr && input->kind == view::InputKind::approval && input->source == "hook";
  };
  return may_resume(state) && !state.answers.empty() && !message_is_newest(state) &&
         std::ranges::all_of(state.answers, is_deferred_call);
}

void take_told(JobState& state, const schema::JobTold& fact, const schema::Event& event) {
  auto told = std::make_unique<view::ToldT>();
  told->id = text(fact.message());
  if (fact.text() != nullptr) told->text.reset(fact.text()->UnPack());
  told->position = event.position();
  if (event.actor() != nullptr) told->from = text(event.actor()->name());
  told->from_job = text(fact.from_job());
  state.told.push_back(std::move(told));
  // A new session is told again what earlier ones have read, as far as there is room.
  std::size_t bytes = 0, count = state.told.size();
  for (const auto& each : state.told) bytes += told_bytes(*each);
  std::erase_if(state.told, [&](const auto& each) {
    if (!each->read || (count <= kMostUnread && bytes <= kMostUnreadBytes)) return false;
    --count;
    bytes -= told_bytes(*each);
    return true;
  });
}

void read_told(JobState& state, const schema::JobToldRead& fact, TimeUs time) {
  if (fact.messages() == nullptr) return;
  for (const auto* id : *fact.messages()) {
    if (view::ToldT* told = find_told(state, id->string_view())) {
      told->read = true;
      told->attempt = fact.attempt();
      told->away = state.route != 0 && !state.own_session.empty();
      told->read_us = fact.how() == schema::ToldHow::prompt ? 0 : time;
    }
  }
}

void doubt_heard(JobState& state, const schema::AttemptEnded& fact) {
  // One that exits by itself has written its session down.
  const bool died = !fact.exit_code() && text(fact.start_error()).empty();
  if (!died || state.route != 0) return;
  for (const auto& told : state.told) {
    const bool by_call = told->read && told->read_us != 0 && told->attempt == state.attempt;
    if (!by_call || (!fact.evidence_lost() && fact.ended_us() - told->read_us > kDoubtUs)) continue;
    told->away = told->unsure = true;
  }
}

void put_told_into_prompt(JobState& state) {
  const bool has_prompt = !state.background_spec && !goes_on_unasked(state);
  for (const auto& told : state.told) {
    if (!told->read) {
      told->attempt = has_prompt ? state.attempt : 0;
    } else if (told->away && state.route == 0 && has_prompt) {
      told->attempt = state.attempt;
    }
  }
}

bool is_news_for(const JobState& state, const view::ToldT& told) {
  return told.attempt == state.attempt && (!told.read || (told.away && state.route == 0));
}

void hear_prompt(JobState& state) {
  state.worked = true;
  for (const auto& told : state.told) {
    if (state.route != 0 || told->attempt != state.attempt || !told->away) continue;
    told->away = told->unsure = false;
    told->read_us = 0;
  }
}

void forget_heard(JobState& state) {
  std::erase_if(state.told, [](const auto& told) { return told->read && (!told->away || told->unsure); });
}

Events read_by_prompt(const JobState& state) {
  schema::JobToldReadT fact;
  for (const auto& told : state.told) {
    if (!told->read && told->attempt == state.attempt) fact.messages.push_back(told->id);
  }
  if (fact.messages.empty()) return {};
  fact.attempt = state.attempt;
  fact.how = schema::ToldHow::prompt;
  return one(job_event(state.job, std::move(fact)));
}

}  // namespace luzia
