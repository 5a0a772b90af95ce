#include "tools/luziad/inputs/prompt_commands.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "adapters/config/job_gates.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/base/time_limits.h"

namespace luzia {
namespace {

TimeUs after(TimeUs now, std::uint64_t ms) {
  return now + static_cast<TimeUs>(ms) * kMillisecondUs;
}

Status check_timeout(std::uint64_t ms) {
  return check_duration("a time limit", ms, "leave it out to wait as long as it takes");
}

Status check_texts(std::initializer_list<std::string_view> texts) {
  const bool has_nul = std::ranges::any_of(
      texts, [](std::string_view text) { return text.find('\0') != std::string_view::npos; });
  if (!has_nul) return {};
  return fail(ErrorKind::usage, "bad_text", "a text for a person contains a NUL character");
}

Result<std::string> source_of(const std::string& source) {
  static constexpr std::array kSources = {"cli", "mcp", "hook"};
  if (source.empty()) return std::string("cli");
  if (std::ranges::find(kSources, source) != kSources.end()) return source;
  return fail(ErrorKind::usage, "bad_source", "'" + source + "' cannot be where a request comes from",
              "known: cli, mcp, hook");
}

std::map<std::string, GatePolicy> gates_of_project(const Config& config, const std::string& project) {
  const auto found = config.projects.find(project);
  return found == config.projects.end() ? std::map<std::string, GatePolicy>() : found->second.gates;
}

std::string policy_words(const GateRuling& ruling) {
  return "\"" + ruling.key + "\" = \"" + gate_policy_text(ruling.policy) + "\"";
}

/// For a call that is incomplete: any rule that could apply to its tool counts.
bool is_cut_call_gated(const Config& config, const std::string& project, const JobState* job,
                       const std::string& tool) {
  const auto of_tool = [&tool](const std::string& rule) {
    return rule == tool || rule.starts_with(tool + "(");
  };
  if (job != nullptr &&
      (std::ranges::any_of(job->allowed, of_tool) || std::ranges::any_of(job->refused, of_tool))) {
    return true;
  }
  std::map<std::string, GatePolicy> gates = gates_of_project(config, project);
  if (job != nullptr) {
    for (const std::string& gate : job->spec->gates) gates.try_emplace(gate);
  }
  return concerns_tool(gates, tool);
}

bool is_remembered(const JobState& job, const std::string& rule, const std::string& wider) {
  const auto has = [](const std::vector<std::string>& rules, const std::string& one) {
    return !one.empty() && std::ranges::find(rules, one) != rules.end();
  };
  return has(job.allowed, rule) || has(job.refused, rule) || has(job.refused, wider);
}

}  // namespace

AskingJob asking_job(const JobState& job) {
  return {job.spec->project, job.spec->gates, job.priority};
}

Result<InputTimes> input_times(const Config& config, std::uint64_t timeout_ms, TimeUs now,
                               const AskingJob& asking) {
  if (timeout_ms == 0) timeout_ms = config.questions.default_timeout_ms;
  LUZIA_TRY(check_timeout(timeout_ms));
  InputTimes times;
  if (timeout_ms != 0) times.deadline = after(now, timeout_ms);
  if (const std::uint64_t within = answer_within_ms(config, asking.project, asking.priority); within != 0)
    times.answer_by = after(now, within);
  const bool meant = times.answer_by != 0 && (times.deadline == 0 || times.answer_by < times.deadline);
  const TimeUs due = meant ? times.answer_by : times.deadline;
  if (due == 0) return times;
  const double whole = static_cast<double>(due - now);
  for (const double part : config.questions.remind_at) {
    times.remind.push_back(now + static_cast<TimeUs>(whole * part));
  }
  return times;
}

void apply_gate_rules(const Config& config, const AskingJob& of, RequestApproval& request, TimeUs now,
                      const CallPlace& place) {
  const GateRequest asked{request.gate, request.tool, request.tool_input.content, place};
  if (is_cut(asked)) {
    request.auto_after = 0;
    request.policy_decision = schema::Decision::denied;
    request.policy = "the call is too long to be judged";
    return;
  }
  request.rule = rule_of(asked);
  request.wider_rule = wider_rule_of(asked);
  const GateRuling ruling = judge_job_gate(gates_of_project(config, of.project), of.job_gates, asked);
  request.rule = rule_under(ruling, asked);
  switch (ruling.policy.word) {
    case GatePolicy::Word::ask:
      // If the project requires a person's decision, the agent cannot have it approved by time.
      if (!ruling.key.empty()) request.auto_after = 0;
      return;
    case GatePolicy::Word::always:
      request.policy_decision = schema::Decision::approved;
      break;
    case GatePolicy::Word::never:
      request.policy_decision = schema::Decision::denied;
      break;
    case GatePolicy::Word::auto_after:
      request.auto_after = after(now, ruling.policy.auto_after_ms);
      break;
  }
  request.policy = policy_words(ruling);
}

bool is_gated(const Config& config, const std::string& project, const JobState* job,
              const wire::RequestApprovalT& request, const CallPlace& place) {
  const GateRequest asked{request.gate, request.tool, request.tool_input, place};
  if (is_cut(asked)) return is_cut_call_gated(config, project, job, request.tool);
  if (job != nullptr && is_remembered(*job, rule_of(asked), wider_rule_of(asked))) return true;
  const std::vector<std::string> own = job == nullptr ? std::vector<std::string>() : job->spec->gates;
  return !judge_job_gate(gates_of_project(config, project), own, asked).key.empty();
}

AskQuestion silence_question(const Config& config, IdSource& ids, const JobState& job,
                             const std::string& text, TimeUs now) {
  AskQuestion question;
  question.id = "q-" + ids.next(now);
  question.attempt = job.attempt;
  question.type = schema::QuestionType::choice;
  question.text = salted_text(0, text);
  question.options = {kKeepWaiting, kStopIt};
  if (auto times = input_times(config, 0, now, asking_job(job)); times) {
    if (times->deadline != 0) question.default_answer = kKeepWaiting;
    times->apply_to(question);
  }
  question.source = "monitor";
  question.unattended = true;
  return question;
}

Result<AskQuestion> make_question(const Config& config, IdSource& ids, const wire::AskQuestionT& request,
                                  TimeUs now, const AskingJob& asking) {
  LUZIA_TRY(check_texts({request.question, request.default_answer, request.call_id}));
  for (const std::string& option : request.options) LUZIA_TRY(check_texts({option}));
  auto source = LUZIA_TRY(source_of(request.source));
  auto times = LUZIA_TRY(input_times(config, request.timeout_ms, now, asking));
  AskQuestion question;
  question.id = "q-" + ids.next(now);
  question.attempt = request.attempt;
  question.type = request.type;
  question.text = salted_text(0, request.question);
  question.options = request.options;
  question.default_answer = request.default_answer;
  question.free_text = request.free_text;
  times.apply_to(question);
  question.source = std::move(source);
  question.call_id = request.call_id;
  question.unattended = request.unattended;
  return question;
}

Result<RequestApproval> make_approval(const Config& config, IdSource& ids, const AskingJob& of,
                                      const wire::RequestApprovalT& request, TimeUs now,
                                      const CallPlace& place) {
  LUZIA_TRY(
      check_texts({request.gate, request.description, request.tool, request.tool_input, request.call_id}));
  auto source = LUZIA_TRY(source_of(request.source));
  LUZIA_TRY(check_timeout(request.auto_after_ms));
  RequestApproval approval;
  approval.id = "a-" + ids.next(now);
  approval.attempt = request.attempt;
  approval.gate = request.gate;
  approval.description = salted_text(0, request.description);
  approval.tool = request.tool;
  approval.tool_input = salted_text(1, request.tool_input);
  approval.auto_after = request.auto_after_ms == 0 ? 0 : after(now, request.auto_after_ms);
  approval.source = std::move(source);
  approval.call_id = request.call_id;
  apply_gate_rules(config, of, approval, now, place);
  // With automatic approval, it needs no default deadline.
  if (request.timeout_ms != 0 || approval.auto_after == 0) {
    const auto times = LUZIA_TRY(input_times(config, request.timeout_ms, now, of));
    times.apply_to(approval);
  }
  return approval;
}

Result<AnswerQuestion> make_answer(const wire::AnswerQuestionT& request) {
  LUZIA_TRY(check_texts({request.answer}));
  return AnswerQuestion{request.question, salted_text(0, request.answer)};
}

}  // namespace luzia
