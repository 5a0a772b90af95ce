// hook: the command that agents run as their hook, before they act.
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "projections/rows/harmless.h"
#include "tools/luzia/agents/hook/tool_gate.h"
#include "tools/luzia/agents/told.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxInput = 64 * 1024 * 1024;
/// An agent abandons a hook after the timeout in its settings (a day, as luzia init writes it) and then
/// runs the tool call. So the hook must answer earlier.
constexpr milliseconds kPatienceOfDay{23 * 3'600 * 1'000};
/// The exit code that stops the agent's action; the agent is shown standard error.
constexpr int kBlocked = 2;

constexpr Option kHookOptions[] = {
    {"--mode", ValueKind::choice, "MODE",
     "if a person has to decide a tool call: ask (wait for the decision), defer (only Claude Code: end its "
     "run; if its message has several calls, wait, because it would forget all but one), deny (ask nobody)",
     "ask|defer|deny"},
    {"--timeout", ValueKind::duration, "D", "deny the call if nobody has decided by then (default: 23h)"},
    {"--fail", ValueKind::choice, "HOW",
     "if the daemon cannot be asked: closed (stop the tool call) or open (let it run)", "open|closed"},
};

std::string all_input() {
  std::string text;
  char chunk[64 * 1024];
  while (text.size() <= kMaxInput) {
    const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (count == 0 || (count < 0 && errno != EINTR)) break;
    text.append(chunk, count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return text;
}

/// Reports an error and returns the hook's exit code: 1 lets the agent continue, 2 stops its action.
int give_up(const Invocation& invocation, const Error& error, bool closed_by_default) {
  const std::string how = invocation.args().text("fail");
  const bool closed = how.empty() ? closed_by_default : how == "closed";
  std::fprintf(stderr, "luzia: %s%s\n", closed ? "stopped because nobody could be asked: " : "",
               make_harmless(error.message, {.keep_newlines = true}).c_str());
  return closed ? kBlocked : 1;
}

hook::WhenAsked when_asked(const std::string& mode) {
  return mode == "defer"  ? hook::WhenAsked::defer
         : mode == "deny" ? hook::WhenAsked::deny
                          : hook::WhenAsked::wait;
}

/// False: the agent has not received the line.
bool print_for_agent(const std::string& line) {
  print_line(line);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int decide_call(Invocation& invocation, const OwnJob& own, const hook::HookEvent& event,
                const hook::ToolCall& call) {
  const Arguments& args = invocation.args();
  auto when = when_asked(args.text("mode"));
  if (when == hook::WhenAsked::defer && !hook::may_defer(event)) when = hook::WhenAsked::wait;
  const auto given = args.duration_ms("timeout");
  const milliseconds patience = given && *given > 0 ? milliseconds(*given) : kPatienceOfDay;
  DaemonLink link = DaemonLink::of(invocation);
  const auto answer = hook::pass_gate(link, own, call, when, patience);
  if (!answer) return give_up(invocation, answer.error(), true);
  const auto send = [&link](const wire::RequestUnion& request) { return link.send(request); };
  // A deferred call ends the run: nobody would read it.
  const ToldWords told =
      answer->decision == "defer" ? ToldWords() : take_told(send, own, event.name).value_or(ToldWords());
  if (answer->decision.empty() && told.text.empty()) return 0;
  if (!print_for_agent(
          hook::decision_json(event, answer->decision, answer->reason, fit_for_model(told.text)))) {
    return 0;
  }
  told.confirm();
  if (answer->decided) {
    // The agent has the answer even if that cannot be recorded.
    [[maybe_unused]] const Status confirmed = confirm_delivery(link, *answer->decided);
  }
  return 0;
}

/// What was told meanwhile goes to the model beside the result of the call.
int tell_model(Invocation& invocation, const OwnJob& own, const hook::HookEvent& event) {
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client) return give_up(invocation, client.error(), false);
  const auto send = [&](const wire::RequestUnion& request) {
    return send_command(invocation, *client, request);
  };
  const auto told = take_told(send, own, event.name);
  if (!told) return give_up(invocation, told.error(), false);
  if (told->text.empty()) return 0;
  const bool takes_all = hook::takes_long_texts(event);
  if (print_for_agent(hook::told_json(event, takes_all ? told->text : fit_for_model(told->text))))
    told->confirm();
  return 0;
}

int publish_report(Invocation& invocation, const OwnJob& own, schema::ReportFactUnion report) {
  wire::PublishT request;
  request.job = own.job;
  request.attempt = *own.attempt;
  request.report = std::move(report);
  request.command_id = fresh_command_id();
  // A report decides nothing, so the agent does not wait for an absent daemon.
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client) return give_up(invocation, client.error(), false);
  const auto accepted = send_command(invocation, *client, request_of(std::move(request)));
  return accepted ? 0 : give_up(invocation, accepted.error(), false);
}

Result<int> run_hook(Invocation& invocation) {
  const std::string text = all_input();
  const OwnJob own = own_job();
  // Outside a job this is a person's own session in the same project: ignore it.
  if (own.job.empty()) return 0;
  if (!own.attempt) return give_up(invocation, own.attempt.error(), hook::may_be_tool_call(text));
  const auto event = hook::read_hook_event(text);
  if (!event) return give_up(invocation, event.error(), hook::may_be_tool_call(text));
  if (hook::calls_own_tool(*event)) {
    print_line(hook::decision_json(*event, "allow", "a tool of Luzia, which asks people itself"));
    return 0;
  }
  if (const auto call = hook::tool_call_of(*event)) return decide_call(invocation, own, *event, *call);
  if (hook::is_after_call(*event)) return tell_model(invocation, own, *event);
  if (auto report = hook::report_of(*event)) return publish_report(invocation, own, std::move(*report));
  return 0;
}

}  // namespace

const Command kHookCommand = {
    "hook",
    "Agents",
    "[--mode ask|defer|deny] [--timeout D] [--fail open|closed]",
    "decide an agent's tool calls by the project's gates (for hooks)",
    "Reads one hook event as JSON from standard input; luzia init AGENT adds the hook to an agent's "
    "settings. Before a tool call: if a rule in [projects.NAME.gates] matches the call, it is allowed, "
    "denied or put to a person; otherwise the agent's own rules decide. Rules have Claude Code's names for "
    "the tools of all agents: Bash, Read, Write, Edit. Calls of Luzia's own tools are allowed. "
    "Notification becomes a warning of the job. What luzia tell says to the job goes to the model at its "
    "tool "
    "calls: before them (PreToolUse), or after them for agents that pass nothing on before (PostToolUse, "
    "AfterTool). Other events, and all events outside a Luzia job, are "
    "ignored. If the daemon cannot be asked, the tool call is stopped (exit code 2), unless --fail open is "
    "given.",
    "luzia hook --mode deny < event.json",
    kHookOptions,
    {},
    run_hook};

}  // namespace luzia
