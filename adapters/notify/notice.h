// The content of a notification: one event as JSON, as text, and as environment variables. Plain values; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/hook/hook.h"
#include "view.fb.h"

namespace luzia {

/// The prompt in a notice, while it is open.
struct NoticeRequest {
  std::string id;
  bool approval = false;
  std::vector<std::string> answers;  // to choose from; empty: any text (for an approval: yes or no)
};

struct Notice {
  Position position = 0;  // identifies repetitions of the same event; 0: a sample
  std::string site;
  std::string event;  // "job_failed"
  std::string job, project;
  std::string callback;  // of a job's end: the URL that its dispatch named
  std::string json;      // as `luzia follow` prints it, without the line break
  std::string text;      // one sentence for people, sanitized
  schema::Severity severity = schema::Severity::info;
  std::vector<std::string> variables;  // LUZIA_...=value
  std::optional<NoticeRequest> request;

  /// Equal for all tries of the same event, different for other events.
  std::string id() const { return site + ":" + std::to_string(position); }
};

/// The current question or approval that an event is about; both empty if there is none.
struct NoticeInput {
  std::optional<view::QuestionT> question = {};
  std::optional<view::ApprovalT> approval = {};
  std::string project = {};  // for an event that concerns no job
};

/// `on`: the event name used in notifications. `job`: the current row of the job concerned, or null. For a
/// question, the notice includes what is asked, the possible answers, and the command that answers it.
Notice make_notice(const schema::Event& event, HookOn on, const view::JobT* job, const NoticeInput& input,
                   const std::string& hook);

/// A made-up event of kind `on`, for testing a hook.
Notice sample_notice(HookOn on, const std::string& site, TimeUs now, const std::string& hook);

}  // namespace luzia
