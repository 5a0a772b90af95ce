// ask, gate: commands with which an agent asks a person. They block until the person has answered.
#include <cstdio>

#include "engine/base/characters.h"
#include "engine/base/try.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json_object.h"
#include "projections/rows/row_bytes.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/person.h"
#include "tools/luzia/signals.h"

namespace luzia {
namespace {

constexpr Option kJobOption{"--job", ValueKind::text, "JOB", "ask for this job (default: $LUZIA_JOB_ID)",
                            "",      Completes::job};
constexpr Option kAskCommandId{"--command-id", ValueKind::text, "ID",
                               "repeating a command id asks no second question"};

constexpr Option kAskOptions[] = {
    {"--options", ValueKind::list, "A,B", "answers to choose from, separated by commas"},
    {"--option", ValueKind::texts, "TEXT", "one answer to choose from, which may have commas; repeatable"},
    {"--multi", ValueKind::flag, "", "allow choosing several options"},
    {"--confirm", ValueKind::flag, "", "ask for yes or no"},
    {"--timeout", ValueKind::duration, "D",
     "after this long use the default as the answer, or stop the job if there is none"},
    {"--default", ValueKind::text, "ANSWER", "the answer if nobody gives one in time"},
    {"--no-wait", ValueKind::flag, "",
     "print the question's id (with --json {\"id\",\"job\"}) and do not wait; the job's time limit keeps "
     "running. The same command with the same --command-id, without --no-wait, waits for the answer"},
    kJobOption,
    kAskCommandId};

constexpr Option kGateOptions[] = {
    {"--timeout", ValueKind::duration, "D", "deny if nobody has decided by then"},
    {"--auto-after", ValueKind::duration, "D", "approve if nobody has decided by then"},
    kJobOption,
    {"--command-id", ValueKind::text, "ID", "repeating a command id requests no second approval"}};

std::vector<std::string> options_of(const Arguments& args) {
  std::vector<std::string> options = args.texts("option");
  for (const std::string& list : args.texts("options")) {
    for (const std::string& piece : split_list(list)) {
      if (const auto option = trimmed(piece, " "); !option.empty()) options.emplace_back(option);
    }
  }
  return options;
}

Result<wire::AskQuestionT> question_from(const Arguments& args) {
  wire::AskQuestionT request;
  request.question = args.positionals().front();
  request.options = options_of(args);
  if (args.has("confirm") && (args.has("multi") || !request.options.empty())) {
    return fail(ErrorKind::usage, "bad_usage", "asking: --confirm takes no options, it is answered yes or no",
                "leave out --confirm or the options");
  }
  if (args.has("timeout") && *args.duration_ms("timeout") == 0) {
    return fail(ErrorKind::usage, "bad_value", "--timeout: 0 leaves nobody time to answer");
  }
  request.type = args.has("confirm")        ? schema::QuestionType::confirm
                 : args.has("multi")        ? schema::QuestionType::multi_select
                 : !request.options.empty() ? schema::QuestionType::choice
                                            : schema::QuestionType::text;
  request.default_answer = args.text("default");
  request.timeout_ms = args.duration_ms("timeout").value_or(0);
  request.source = "cli";
  request.unattended = args.has("no-wait");
  request.command_id = args.text("command-id");
  return request;
}

/// The full id of --job; empty if it was not given.
Result<std::string> job_of_option(DaemonLink& link, const Arguments& args) {
  return args.has("job") ? link.full_id(args.text("job")) : Result<std::string>(std::string());
}

/// Prints the row with a function that takes rows in their serialized form.
template <class Row, class Native>
void print_row(const Native& row, std::string (*text)(const Row&)) {
  const std::string bytes = row_bytes(row);
  if (const Row* verified =
          verified_row<Row>({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})) {
    print_line(text(*verified));
  }
}

/// Confirms the delivery of the answer, but only after it has been written to standard output.
Status deliver(Invocation& invocation, DaemonLink& link, const PutPrompt& put) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return fail(ErrorKind::trouble, "unwritable", "printing the answer: cannot write to standard output");
  }
  if (const Status confirmed = confirm_delivery(link, put); !confirmed) {
    // Unconfirmed, the answer is delivered again to the next attempt. No reason to withhold it now.
    invocation.say("luzia: " + confirmed.error().message);
  }
  return {};
}

Result<int> report_answer(Invocation& invocation, DaemonLink& link, const PutPrompt& put,
                          const view::QuestionT& row) {
  if (invocation.json()) print_row<view::Question>(row, question_json);
  switch (row.state) {
    case view::QuestionState::answered:
      break;
    case view::QuestionState::timed_out:
      invocation.say("question " + row.id + ": nobody answered in time");
      return 1;
    case view::QuestionState::cancelled:
      invocation.say("question " + row.id + " was cancelled" + (row.reason.empty() ? "" : ": " + row.reason));
      return 1;
    case view::QuestionState::open:
      invocation.say("question " + row.id + " is still open");
      return 1;
  }
  if (row.by_default) invocation.say("question " + row.id + ": nobody answered in time, using the default");
  if (!invocation.json()) print_line(row.answer);
  LUZIA_TRY(deliver(invocation, link, put));
  return 0;
}

void print_put(const Invocation& invocation, const PutPrompt& put) {
  if (!invocation.json()) return print_line(put.id);
  JsonObject object;
  object.text("id", put.id);
  object.text("job", put.job);
  print_line(object.take());
}

/// Reports the result of cancelling `what` after a signal. A refusal's message may already begin with `what`.
Result<int> cancel_after_signal(Invocation& invocation, const std::string& what, const Status& cancelled,
                                int signal) {
  if (cancelled) {
    invocation.say(what + " is cancelled");
  } else {
    const std::string& why = cancelled.error().message;
    invocation.say(why.starts_with(what) ? why : what + ": " + why);
  }
  return kSignalBase + signal;
}

constexpr const char* kStoppedAsking = "the program that asked was stopped";

Result<int> run_ask(Invocation& invocation) {
  auto request = LUZIA_TRY(question_from(invocation.args()));
  DaemonLink link = DaemonLink::of(invocation);
  request.job = LUZIA_TRY(job_of_option(link, invocation.args()));
  const StopSignals signals;
  const auto put = put_question(link, std::move(request), signals.fd());
  if (!put) {
    const int signal = signals.take();
    return signal != 0 ? Result<int>(kSignalBase + signal) : tl::unexpected(put.error());
  }
  if (invocation.args().has("no-wait")) {
    print_put(invocation, *put);
    return 0;
  }
  Patience patience;
  patience.stop_fd = signals.fd();
  const auto row = await_question(link, *put, patience);
  if (const int signal = row ? 0 : signals.take(); signal != 0) {
    return cancel_after_signal(invocation, "question " + put->id, cancel_question(link, *put, kStoppedAsking),
                               signal);
  }
  return row ? report_answer(invocation, link, *put, *row) : tl::unexpected(row.error());
}

std::string decider_of(const view::ApprovalT& row) {
  const std::string who = row.decided_by.empty() ? row.policy : row.decided_by;
  return (who.empty() ? std::string() : " by " + who) + (row.note.empty() ? "" : ": " + row.note);
}

Result<int> report_decision(Invocation& invocation, DaemonLink& link, const PutPrompt& put,
                            const view::ApprovalT& row) {
  if (invocation.json()) print_row<view::Approval>(row, approval_json);
  const std::string gate = "gate " + row.gate;
  if (row.state == view::QuestionState::cancelled || row.state == view::QuestionState::open) {
    invocation.say(gate + (row.state == view::QuestionState::open ? " is still shut" : " was cancelled") +
                   (row.reason.empty() ? "" : ": " + row.reason));
    return 1;
  }
  const bool approved = row.decision == schema::Decision::approved;
  const bool expired = row.decision == schema::Decision::expired;
  invocation.say(gate + (approved  ? " is approved" + decider_of(row)
                         : expired ? " is denied: nobody decided in time"
                                   : " is denied" + decider_of(row)));
  LUZIA_TRY(deliver(invocation, link, put));
  return approved ? 0 : static_cast<int>(ErrorKind::refused);
}

Result<int> run_gate(Invocation& invocation) {
  const Arguments& args = invocation.args();
  wire::RequestApprovalT request;
  request.gate = args.positionals().front();
  request.description = args.positionals().size() > 1 ? args.positionals()[1] : std::string();
  request.timeout_ms = args.duration_ms("timeout").value_or(0);
  request.auto_after_ms = args.duration_ms("auto-after").value_or(0);
  request.source = "cli";
  request.command_id = args.text("command-id");
  if ((args.has("timeout") && request.timeout_ms == 0) ||
      (args.has("auto-after") && request.auto_after_ms == 0)) {
    return fail(ErrorKind::usage, "bad_value", "--timeout, --auto-after: 0 leaves nobody time to decide");
  }
  DaemonLink link = DaemonLink::of(invocation);
  request.job = LUZIA_TRY(job_of_option(link, args));
  const StopSignals signals;
  const auto put = put_approval(link, std::move(request), signals.fd());
  Patience patience;
  patience.stop_fd = signals.fd();
  const auto row =
      put ? await_approval(link, *put, patience) : Result<view::ApprovalT>(tl::unexpected(put.error()));
  if (row) return report_decision(invocation, link, *put, *row);
  const int signal = signals.take();
  if (put && signal != 0) {
    return cancel_after_signal(invocation, "gate " + args.positionals().front(),
                               cancel_approval(link, *put, kStoppedAsking), signal);
  }
  return signal != 0 ? Result<int>(kSignalBase + signal) : tl::unexpected(row.error());
}

}  // namespace

const Command kAskCommand = {
    "ask",
    "Ask and answer",
    "\"QUESTION\" [--options A,B] [--multi | --confirm] [--timeout D] [--default A]",
    "ask a person and wait for the answer (for agents in a job)",
    "Prints only the answer on standard output. People see the question in luzia status and luzia questions "
    "and answer with luzia answer. Until then the job is waiting and its time limit does not run. Exit code "
    "0: answered, also by the default; 1: nobody answered in time, or the question was cancelled. Ctrl-C "
    "cancels it. The wait survives restarts of the daemon.",
    "luzia ask 'Deploy where?' --options staging,production --timeout 30m --default staging\n"
    "luzia ask 'Delete the old table?' --confirm\n"
    "luzia ask 'Which name?' --option 'a, b' --option c --no-wait --command-id name\n"
    "luzia ask 'Which name?' --option 'a, b' --option c --command-id name",
    kAskOptions,
    {1, 1},
    run_ask,
    kNeedsStore};

const Command kGateCommand = {
    "gate",
    "Ask and answer",
    "NAME [DESCRIPTION] [--timeout D] [--auto-after D]",
    "wait for an approval by a person or a policy (for agents in a job)",
    "People decide with luzia approve or luzia deny; [projects.NAME.gates] in the configuration may decide "
    "at once. Exit code 0: approved; 4: denied or not decided in time, with who and why on standard error; "
    "1: cancelled. Ctrl-C cancels the request.",
    "luzia gate deploy 'version 2.1 to production' && ./deploy.sh\n"
    "luzia gate migrate 'drops table old_users' --timeout 2h",
    kGateOptions,
    {1, 2},
    run_gate,
    kNeedsStore};

}  // namespace luzia
