// answer, question, approve, deny: commands with which a person answers an agent.
#include "engine/base/try.h"
#include "tools/luzia/ask/open_prompts.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/person.h"
#include "tools/luzia/run/flow_gate.h"
#include "tools/luzia/text_file.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr Option kAnswerOptions[] = {
    {"--file", ValueKind::text, "FILE", "read the answer from this file; - for standard input", "",
     Completes::file},
    kCommandIdOption};
constexpr Option kQuestionOptions[] = {{"--reason", ValueKind::text, "TEXT", "say why, to the agent"},
                                       kCommandIdOption};
constexpr Option kDecisionOptions[] = {
    {"--note", ValueKind::text, "TEXT", "say why, to the agent"},
    {"--always", ValueKind::flag, "", "decide the same way for everything of the same rule in this job"},
    kCommandIdOption};

/// Removes one final line end, which editors add and which is not part of the answer.
std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

/// The job that asked, and the question or approval if one was named.
struct Asked {
  std::string job;
  std::string prompt;  // id of a question or an approval, or empty
};

/// Resolves JOB [NAME], or the id of a question or approval alone.
Result<Asked> asked_of(Invocation& invocation, Client& client, const std::string& word,
                       const std::string& name) {
  if (!is_prompt_id(word)) {
    auto job = LUZIA_TRY(full_id(invocation, client, word));
    return Asked{std::move(job), name};
  }
  auto found = LUZIA_TRY(find_prompt(invocation, client, word));
  if (!name.empty() && !found.id.starts_with(name)) {
    return fail(ErrorKind::usage, "bad_usage", "both '" + word + "' and '" + name + "' are given",
                "give only one: the id of a question is enough");
  }
  return Asked{std::move(found.job), std::move(found.id)};
}

/// Refuses the id of an approval in a command about questions, and vice versa.
Status check_kind(const std::string& word, bool about_questions) {
  if (!is_prompt_id(word) || word.starts_with("q-") == about_questions) return {};
  return about_questions
             ? fail(ErrorKind::usage, "bad_usage", "'" + word + "' is an approval, not a question",
                    "luzia approve or luzia deny " + word)
             : fail(ErrorKind::usage, "bad_usage", "'" + word + "' is a question, not an approval",
                    "luzia answer " + word + " VALUE");
}

/// Resolves the first argument as asked_of(). Refuses an id of the wrong kind.
Result<Asked> asked_by_name(Invocation& invocation, Client& client, const std::string& name,
                            bool about_questions) {
  const std::string& word = invocation.args().positionals().front();
  LUZIA_TRY(check_kind(word, about_questions));
  return asked_of(invocation, client, word, name);
}

template <class Request>
Result<int> send_and_print(Invocation& invocation, Client& client, Request request, const std::string& done) {
  request.command_id = command_id_of(invocation.args());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  if (invocation.json()) print_line(accepted_json(accepted));
  invocation.say((accepted.ids.empty() ? "" : accepted.ids.front()) + " " + done);
  return 0;
}

/// JOB [QUESTION] VALUE, or JOB [QUESTION] --file F.
Result<wire::AnswerQuestionT> answer_from(const Arguments& args) {
  const auto& words = args.positionals();
  const std::size_t names = args.has("file") ? words.size() : words.size() - 1;
  if (names < 1 || names > 2) {
    return fail(
        ErrorKind::usage, "bad_usage",
        names < 1 ? "answering: no answer given" : "answering: both an answer and --file are given",
        "luzia answer JOB [QUESTION] VALUE, or --file FILE instead of VALUE; QUESTION alone is enough");
  }
  wire::AnswerQuestionT request;
  request.question = names == 2 ? words[1] : std::string();
  const std::string from = args.has("file") ? args.text("file") : words.back() == "-" ? "-" : std::string();
  if (from.empty()) {
    request.answer = words.back();
    return request;
  }
  auto text = LUZIA_TRY(read_text(from));
  request.answer = without_last_newline(std::move(text));
  return request;
}

Result<int> run_answer(Invocation& invocation) {
  const auto given = LUZIA_TRY(answer_from(invocation.args()));
  return run_where_it_is(invocation, [&]() -> Result<int> {
    wire::AnswerQuestionT request = given;
    auto client = LUZIA_TRY(invocation.connect());
    auto asked = LUZIA_TRY(asked_by_name(invocation, client, request.question, true));
    request.job = std::move(asked.job);
    request.question = std::move(asked.prompt);
    return send_and_print(invocation, client, std::move(request), "is answered");
  });
}

/// Cancels a question or an approval request. A name that does not say which it is (no a-...) is tried as a
/// question first, then as a gate.
Result<int> cancel_prompt(Invocation& invocation, Client& client, const std::string& job,
                          const std::string& name) {
  const std::string reason = invocation.args().text("reason");
  const auto cancel_gate = [&] {
    wire::CancelApprovalT request;
    request.job = job;
    request.approval = name;
    request.reason = reason;
    return send_and_print(invocation, client, std::move(request), "is cancelled");
  };
  if (name.starts_with("a-")) return cancel_gate();
  wire::CancelQuestionT request;
  request.job = job;
  request.question = name;
  request.reason = reason;
  auto done = send_and_print(invocation, client, std::move(request), "is cancelled");
  if (done || (done.error().code != "no_such_question" && done.error().code != "already_answered")) {
    return done;
  }
  auto gate = cancel_gate();
  if (!gate && gate.error().code == "no_such_approval") return done;
  return gate;
}

Result<int> run_question(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  if (words.front() != "cancel" || words.size() < 2) {
    return fail(ErrorKind::usage, "bad_usage",
                words.front() == "cancel" ? "cancelling a question: no job given"
                                          : "question: unknown action '" + words.front() + "'",
                "luzia question cancel JOB [QUESTION|GATE]; luzia questions and approvals list them");
  }
  return run_where_it_is(invocation, [&]() -> Result<int> {
    auto client = LUZIA_TRY(invocation.connect());
    const auto asked =
        LUZIA_TRY(asked_of(invocation, client, words[1], words.size() > 2 ? words[2] : std::string()));
    return cancel_prompt(invocation, client, asked.job, asked.prompt);
  });
}

/// FLOW [STEP|GATE], or FLOW/STEP.
Result<int> decide_flow(Invocation& invocation, Client& client, const std::vector<std::string>& words,
                        bool approve) {
  if (invocation.args().has("always")) {
    return fail(ErrorKind::usage, "bad_usage",
                "--always works only for jobs: each gate of a flow is decided once");
  }
  auto request = LUZIA_TRY(gate_command(invocation, client, words, approve));
  const std::string done = gate_command_done(request);
  return send_and_print(invocation, client, std::move(request), done);
}

Result<int> decide(Invocation& invocation, bool approve) {
  const auto& words = invocation.args().positionals();
  auto client = LUZIA_TRY(invocation.connect());
  if (words.front().starts_with("f-")) return decide_flow(invocation, client, words, approve);
  auto asked =
      LUZIA_TRY(asked_by_name(invocation, client, words.size() > 1 ? words[1] : std::string(), false));
  wire::DecideApprovalT request;
  request.job = std::move(asked.job);
  request.gate = std::move(asked.prompt);
  request.approve = approve;
  request.note = invocation.args().text("note");
  request.remember = invocation.args().has("always");
  return send_and_print(invocation, client, std::move(request), approve ? "is approved" : "is denied");
}

template <bool approve>
Result<int> send_decision(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return decide(invocation, approve); });
}

}  // namespace

const Command kAnswerCommand = {
    "answer",
    "Ask and answer",
    "JOB [QUESTION] VALUE\nJOB [QUESTION] --file FILE\nQUESTION VALUE\nQUESTION --file FILE",
    "answer a question that a job's agent asked",
    "QUESTION is an id (q-...) or its beginning; it is needed if the job has several open questions. VALUE "
    "is text, yes or no, or an option: its name, the beginning of its name, or its number from 1 (separate "
    "several by commas); - reads VALUE from standard input. A second answer is refused and names who "
    "answered first.",
    "luzia answer 0kx8 staging\n"
    "luzia answer 0kx8 2\n"
    "luzia answer q-1qhkg2wg000tv yes\n"
    "luzia answer @last --file plan.md",
    kAnswerOptions,
    {1, 3, Completes::job},
    run_answer,
    kNeedsStore};

const Command kQuestionCommand = {
    "question",
    "Ask and answer",
    "cancel JOB [QUESTION|GATE] [--reason TEXT]\ncancel QUESTION|APPROVAL [--reason TEXT]",
    "withdraw a question or approval request",
    "The agent is told that nobody will answer: luzia ask and luzia gate exit with code 1. Without a name "
    "the command cancels the only open question or, if none is open, the only gate. luzia questions and "
    "luzia approvals list what is open.",
    "luzia question cancel 0kx8 --reason 'solved by hand'\n"
    "luzia question cancel 0kx8 deploy",
    kQuestionOptions,
    {1, 3, Completes::job},
    run_question,
    kNeedsStore};

const Command kApproveCommand = {
    "approve",
    "Ask and answer",
    "JOB [GATE] [--note TEXT] [--always]\nAPPROVAL [--note TEXT] [--always]\nFLOW [STEP|GATE] [--note TEXT]",
    "approve what a job or a flow waits for",
    "GATE is a gate's name or id, or the beginning of one; it is needed if several gates wait. APPROVAL is "
    "an id (a-...) from luzia approvals. With --always everything of the same rule is approved in this job "
    "from now on: gates of that name or, for a tool call, the rule shown by luzia approvals --json. Rules "
    "in [projects.NAME.gates] that never allow something still deny it.",
    "luzia approve 0kx8\n"
    "luzia approve 0kx8 deploy --note 'after the backup'\n"
    "luzia approve a-1qhkg2wg000tv\n"
    "luzia approve f-1qhkg2wg000tv ship\n"
    "luzia approve @last --always",
    kDecisionOptions,
    {1, 2, Completes::job},
    send_decision<true>,
    kNeedsStore};

const Command kDenyCommand = {
    "deny",
    "Ask and answer",
    "JOB [GATE] [--note TEXT] [--always]\nAPPROVAL [--note TEXT] [--always]\nFLOW [STEP|GATE] [--note TEXT]",
    "deny what a job or a flow waits for",
    "The agent is told, with the note, and continues without it. With --always everything of the same rule "
    "is denied in this job from now on. A denied step of a flow fails.",
    "luzia deny 0kx8 --note 'not on a Friday'",
    kDecisionOptions,
    {1, 2, Completes::job},
    send_decision<false>,
    kNeedsStore};

}  // namespace luzia
