// What a hook is told: one event, as JSON, in words, and as variables. Plain values; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/hook/hook.h"
#include "view.fb.h"

namespace luzia {

/// What a notice asks, as long as it is open.
struct NoticeRequest {
  std::string id;
  bool approval = false;
  std::vector<std::string> answers;  // that can be chosen; empty: any text (of an approval: yes or no)
};

struct Notice {
  Position position = 0;  // tells repetitions of the same event; 0: a sample
  std::string site;
  std::string event;  // "job_failed"
  std::string job, project;
  std::string json;  // the line that `luzia follow` prints, without the line break
  std::string text;  // one sentence for people, harmless
  schema::Severity severity = schema::Severity::info;
  std::vector<std::string> variables;  // LUZIA_...=value
  std::optional<NoticeRequest> request;

  /// The same for each try of the same event, and for no other event.
  std::string id() const { return site + ":" + std::to_string(position); }
};

/// The question or approval that an event is about, as it is now; neither: it is about none.
struct NoticeInput {
  std::optional<view::QuestionT> question = {};
  std::optional<view::ApprovalT> approval = {};
  std::string project = {};  // of an event that concerns no job
};

/// `on`: the name under which it is told. `job`: the row of the job that it concerns, as it is now, or null.
/// Of a question the notice tells what is asked, what can be answered, and the command that answers it.
Notice make_notice(const schema::Event& event, HookOn on, const view::JobT* job, const NoticeInput& input,
                   const std::string& hook);

/// An event that never happened, of the kind `on`, to try a hook with.
Notice sample_notice(HookOn on, const std::string& site, TimeUs now, const std::string& hook);

}  // namespace luzia
