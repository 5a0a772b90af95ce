// What people and other agents tell a job's agent: each message is read at a tool call of an attempt, or in
// the prompt of the next one. Commands of the job's decider, and their part of its state. Pure, any thread.
//
// A message is handed out until somebody confirms that the agent has it, then never again. Whoever dies:
// - the agent's hook before it has printed the message: it is handed out at the next tool call.
// - the hook between print and confirmation: the agent is shown it twice.
// - the daemon: it is handed out again, unless the confirmation is durable.
// - the attempt: the prompt of the next one has it, unless it was confirmed.
// - the agent after the confirmation: nobody knows whether its session has it. If it died within kDoubtUs, or
//   nobody knows when, the next prompt in the session says it again, as one that may have been read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Maximum bytes of one message; of all that its agent has not read yet, together; and their number.
constexpr std::size_t kMostToldBytes = 64 << 10, kMostUnreadBytes = 256 << 10, kMostUnread = 32;

/// How long an agent may take to write down in its session what its hook has told it.
constexpr TimeUs kDoubtUs = kMinuteUs;

/// Tells the job's agent something. Refused with:
/// - `no_message`, `message_too_long` (usage)
/// - `too_many_messages`: its agent has not read the ones before.
/// - `job_removed`, `files_expired`, `imported_job`, `not_started_here`: no agent of it will ever read one.
/// - with `resume`, for a job that has ended: like RetryJob.
struct TellJob {
  std::string id;
  Blob text;
  std::vector<std::string> files = {};  // names of what the text contains
  std::string from_job = {};            // whose agent says it; empty: the actor of the command
  std::string channel = {};             // cli, web
  bool resume = false;                  // a job that has ended goes on as its next attempt
};

/// The attempt has the messages. Refused with `already_read` if one of them is read, or in its prompt, and
/// with `stale_attempt`: then nobody may show them to it.
struct ReadTold {
  std::uint32_t attempt = 0;
  std::vector<std::string> messages;
  schema::ToldHow how = schema::ToldHow::hook;
};

}  // namespace luzia
