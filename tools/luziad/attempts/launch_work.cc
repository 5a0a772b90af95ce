#include "tools/luziad/attempts/launch_work.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "adapters/inputs/answer_file.h"
#include "adapters/inputs/request_file.h"
#include "adapters/job_dir/job_dir.h"
#include "engine/base/sealed_text.h"
#include "engine/base/shell_quote.h"
#include "engine/base/utf8.h"
#include "engine/job/input_state.h"
#include "engine/job/job_rerouting.h"
#include "engine/job/told_state.h"
#include "engine/ports/agent.h"
#include "tools/luziad/attempts/agent_state.h"
#include "tools/luziad/attempts/given_answer.h"
#include "tools/luziad/attempts/line_buffering.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/attempts/terminal_jobs.h"
#include "tools/luziad/attempts/told_text.h"

namespace luzia {
namespace {

/// Whether the agent has probably dropped the session: it reports no usage, so its first request was refused,
/// and this agent does not keep such sessions and fails to resume one. What other agents and sessions spent
/// says nothing about it. A session with an answer had a question, whatever usage the service reports. Other
/// agents keep every session, and with a model server that reports no usage, an hour of work looks the same.
bool is_unused(const JobState& job) {
  const bool may_be_forgotten = std::ranges::any_of(known_agents(), [&job](const Agent& agent) {
    return agent.forgets_unused_sessions && agent.profile.output == job.spec->output_format;
  });
  const auto own = std::ranges::find_if(
      job.sessions, [&job](const auto& counted) { return counted->session_id == job.session_id; });
  if (!may_be_forgotten || own == job.sessions.end() || !job.answers.empty()) return false;
  const auto& tokens = (*own)->tokens;
  return (*own)->cost_usd <= 0 && (!tokens || (tokens->input == 0 && tokens->output == 0));
}

/// With a session and a command to resume it, the agent continues where it was.
bool resumes(const JobState& job) {
  return may_resume(job) && !is_unused(job);
}

/// The daemon's variables that an attempt inherits: where programs are and how text is written, nothing else.
constexpr const char* kInherited[] = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SHELL"};
constexpr const char* kCredential = "LUZIA_CREDENTIAL";
constexpr const char* kWorktreeFolder = "worktree";  // in the job directory
constexpr std::uint64_t kSnapshotLimitMs = 60'000;
constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

Result<std::string> text_of(const EventLog& log, const JobState& job,
                            const std::unique_ptr<schema::BlobRefT>& ref) {
  if (!ref) return std::string();
  return log.blob(job.queued_position, ref->index);
}

LaunchSpec launch_spec(const JobState& job, const LaunchPlaces& places) {
  const schema::JobSpecT& spec = *job.spec;
  LaunchSpec launch;
  launch.job = job.job;
  launch.attempt = job.attempt;
  launch.run_dir = places.run_dir;
  launch.job_dir = spec.job_dir;
  launch.working_dir = attempt_directory(spec);
  launch.uid = spec.uid;
  launch.gid = spec.gid;
  launch.stdin_prompt = spec.stdin_prompt && !goes_on_unasked(job);
  launch.preflight = file_steps(spec, places.client_program);
  launch.preflight.insert(launch.preflight.end(), spec.preflight.begin(), spec.preflight.end());
  launch.preflight_timeout_ms = spec.preflight_timeout_ms;
  launch.verify = spec.verify;
  launch.verify_timeout_ms = spec.verify_timeout_ms;
  launch.boot_id = job.boot_id;
  launch.open_files = places.open_files;
  launch.limits = places.limits;
  return launch;
}

const std::vector<std::string>& template_of(const JobState& job) {
  return resumes(job) ? job.spec->resume_command : job.spec->command;
}

/// In the agent's session, which knows the task, the newest of a person's message and of what the checks said
/// becomes the whole prompt. A new session gets both; the checks' words no longer than an argument may be.
Status tell_message(const EventLog& log, const JobState& job, std::string& prompt) {
  std::string message, report;
  if (job.message) message = LUZIA_TRY(log.blob(job.message_position, job.message->index));
  const bool hears_report = job.report && !executes_task(*job.spec);
  if (hears_report) report = LUZIA_TRY(log.blob(job.report_position, job.report->index));
  if (resumes(job)) {
    if (job.message) prompt = std::move(message);
    if (hears_report) prompt = std::move(report);
    return {};
  }
  if (job.message) {
    prompt.append(
        "\n\n## Message\n\nA person says about this task, and about what was done for it so far:\n\n");
    prompt.append(message).append("\n");
  }
  if (!hears_report) return {};
  const std::size_t room = kMostOfAnArgument - std::min(kMostOfAnArgument, prompt.size());
  if (takes_prompt_as_argument(*job.spec)) report = bounded_utf8(report, room);
  if (!report.empty()) prompt.append("\n\n## Checks\n\n").append(report);
  return {};
}

/// An agent that takes over hears of the one before it, whose changes it will meet: once in each session.
bool hears_handover(const JobState& job) {
  const bool heard = resumes(job) && job.worked;
  return !job.handed_over_by.empty() && !heard && !executes_task(*job.spec);
}

/// Its words are quoted: they are no message of a person.
void tell_handover(const JobState& job, std::string& prompt) {
  if (!hears_handover(job)) return;
  prompt += handover_text({job.handed_over_by, job.handed_over_by == job.spec->agent, job.handover});
}

/// Adds what the agent was told since: in its session what it has not read, which is the whole prompt if
/// there is nothing else to say; in a new one all. No longer than an argument may be.
Status tell_the_rest(const EventLog& log, const JobState& job, std::string& prompt) {
  if (executes_task(*job.spec) || goes_on_unasked(job)) return {};
  std::vector<Said> said;
  for (const auto& told : job.told) {
    if (told->attempt == 0 || !told->text || (resumes(job) && !is_news_for(job, *told))) continue;
    std::string words = LUZIA_TRY(log.blob(told->position, told->text->index));
    said.push_back({told->from, told->from_job, std::move(words), told->unsure && resumes(job)});
  }
  if (said.empty()) return {};
  const bool says_more = job.message || job.report || !job.answers.empty() || hears_handover(job);
  if (resumes(job) && !says_more) prompt.clear();
  std::string text = (prompt.empty() ? "" : "\n\n") + told_text(said);
  if (takes_prompt_as_argument(*job.spec))
    text = bounded_told(std::move(text), kMostOfAnArgument - std::min(kMostOfAnArgument, prompt.size()),
                        job.job);
  prompt += text;
  return {};
}

/// Puts answers into the prompt of an attempt that begins with answers, and those to requests in files into
/// the files where its agent looks.
Status tell_answers(const EventLog& log, const JobState& job, std::string& prompt,
                    std::vector<JobDirSpec::Answered>& files) {
  std::vector<GivenAnswer> answers;
  for (const std::string& id : job.answers) {
    const view::InputRequestT* input = find_input(job, id);
    if (input == nullptr || !input->answered) continue;
    auto given = LUZIA_TRY(read_answer(log, *input));
    if (input->source == "file") {
      const bool is_question = input->kind == view::InputKind::question;
      const char* const asked = is_question ? kQuestionFile : kGateFile;
      const std::string own_id = own_id_of(read_request_file(job.spec->job_dir, asked, job.spec->uid));
      files.push_back({asked, is_question ? kResponseFile : kDecisionFile, answer_file_text(given, own_id)});
    }
    answers.push_back(std::move(given));
  }
  if (answers.empty() || (resumes(job) && message_is_newest(job))) return {};
  prompt = answer_prompt(answers, resumes(job) ? std::nullopt : std::optional(std::move(prompt)));
  return {};
}

Status put_into_template(const JobState& job, const LaunchPlaces& places, std::string& prompt) {
  if (!gets_template(job) || !places.build_prompt) return {};
  auto built = LUZIA_TRY(places.build_prompt(prompt));
  prompt = std::move(built.text);
  if (places.prompt_record) *places.prompt_record = std::move(built.record);
  return {};
}

/// Adds the daemon's variables that the agent needs, such as its key, unless the job sets them. Never for
/// another account: they are secrets of the daemon's user.
void pass_variables(const schema::JobSpecT& spec, std::vector<std::string>& env) {
  if (spec.uid != geteuid()) return;
  for (const std::string& name : spec.pass_env) {
    const char* value = getenv(name.c_str());
    const std::string entry = name + "=";
    const bool is_set =
        std::ranges::any_of(env, [&entry](const std::string& each) { return each.starts_with(entry); });
    if (value != nullptr && !is_set) env.push_back(entry + value);
  }
}

/// What the attempt's environment leads to must be in its sandbox.
Status confine(const schema::JobSpecT& spec, const LaunchPlaces& places, LaunchSpec& launch) {
  if (!spec.sandbox) return {};
  const char* why = places.sandbox.door.empty() ? "the daemon has no socket for sandboxes; its log says why"
                    : spec.terminal == schema::Terminal::session ? "a session cannot be held"
                                                                 : nullptr;
  if (why != nullptr) {
    return fail(ErrorKind::trouble, "sandbox_unavailable", std::string("sandbox_unavailable: ") + why,
                "correct that, or set sandbox = \"off\"");
  }
  LUZIA_TRY(make_agent_state(spec, launch.argv));
  confine_environment(launch.env, spec, places.sandbox.door);
  if (!spec.sandbox->hosts.empty()) lead_through_proxy(launch.env, spec.sandbox->hosts);
  launch.hosts = spec.sandbox->hosts;
  launch.sandbox_network = spec.sandbox->network ? "all" : "none";
  if (spec.limits) launch.private_bytes = spec.limits->memory_bytes;
  launch.shown = sandbox_rules(spec, places.sandbox, launch.argv, launch.env);
  launch.guarded = guarded_paths(spec);
  return {};
}

/// Prepares the job directory; puts command and environment into `launch`.
Status prepare(const EventLog& log, const JobState& job, const LaunchPlaces& places, LaunchSpec& launch) {
  const schema::JobSpecT& spec = *job.spec;
  if (has_secrets(job) && places.secrets != nullptr)
    launch.secrets = LUZIA_TRY(places.secrets->read_for_start(job.job, spec, spec_with_all_secrets(job)));
  if (spec.worktree && places.client_program.empty()) {
    return fail(ErrorKind::trouble, "no_client", "cannot make a worktree: luzia is not beside luziad",
                "install luzia completely");
  }
  auto prompt = LUZIA_TRY(text_of(log, job, job.prompt));
  const auto extra =
      LUZIA_TRY(dispatch_environment(job.job, LUZIA_TRY(text_of(log, job, job.env)), places.env_key));
  const std::string task = prompt;
  LUZIA_TRY(put_into_template(job, places, prompt));
  std::vector<JobDirSpec::Answered> answered;
  prompt += gates_text(job);
  LUZIA_TRY(tell_message(log, job, prompt));
  tell_handover(job, prompt);
  LUZIA_TRY(tell_answers(log, job, prompt, answered));
  LUZIA_TRY(tell_the_rest(log, job, prompt));
  const std::vector<std::string>& command = template_of(job);
  const std::string client = places.client_program.empty() ? "luzia" : places.client_program;
  launch.argv = LUZIA_TRY(attempt_command(job, takes_code(command) ? task : prompt, client));
  launch.env = attempt_environment(job, extra, places.socket_path);
  if (places.line_buffered && spec.terminal == schema::Terminal::none) buffer_by_line(launch.env);
  if (!spec.sandbox) make_users_folder(spec, ".tmp");
  auto prepared = prepare_job_dir(
      {spec.job_dir, job.attempt, spec.uid, spec.gid, std::move(prompt),
       takes_task_file(command) ? std::optional(task) : std::nullopt, launch.argv, launch.env,
       launch.working_dir, launch.stdin_prompt, moved_mark_path(places.run_dir, job.job, job.attempt),
       spec.worktree ? kWorktreeFolder : "", spec.terminal != schema::Terminal::none, std::move(answered)});
  // Only now, after run.sh was written, which must not contain them.
  pass_variables(spec, launch.env);
  for (const auto& secret : spec.secrets) {
    std::erase_if(launch.env,
                  [entry = secret->name + "="](const auto& each) { return each.starts_with(entry); });
  }
  if (!places.credential.empty()) launch.env.push_back(kCredential + ("=" + places.credential));
  if (prepared) prepared = confine(spec, places, launch);
  return prepared;
}

}  // namespace

bool executes_task(const schema::JobSpecT& spec) {
  return takes_code(spec.command);
}

Status takes_message(const JobState& job, std::size_t bytes, const std::string& what) {
  const schema::JobSpecT& spec = job.background_spec ? *job.background_spec : *job.spec;
  if (executes_task(spec)) {
    return fail(ErrorKind::refused, "no_messages",
                "cannot " + what + ": it runs a command, which nobody can tell anything",
                "luzia retry " + job.job + " runs it again");
  }
  bytes += job.prompt ? job.prompt->size : 0;
  for (const auto& told : job.told) bytes += told->text ? told->text->size : 0;
  if (!takes_prompt_as_argument(spec) || bytes <= kMostOfAnArgument) return {};
  return fail(ErrorKind::usage, "message_too_long",
              "the task and the message have " + std::to_string(bytes) +
                  " bytes together, more than the agent's command line takes",
              "put the message into a file that the agent can read, and name the file");
}

bool gets_template(const JobState& job) {
  return !job.spec->prompt_template.empty() && !resumes(job) && !takes_code(template_of(job));
}

std::string why_task_alone(const JobState& job) {
  if (gets_template(job)) return {};
  if (resumes(job)) return "the agent goes on in its session";
  if (!job.spec->prompt_template.empty()) return "its command executes the task as code";
  return "no template is named ([projects." + job.spec->project + "] prompt)";
}

std::string gates_text(const JobState& job) {
  if (job.spec->gates.empty() || resumes(job) || takes_code(template_of(job))) return {};
  std::string text =
      "\n\n## Gates\n\nBefore you do what one of these gates stands for, request approval (luzia gate GATE "
      "'WHAT YOU WILL DO', or the tool request_approval). Go on only if it is granted.\n\n";
  for (const std::string& gate : job.spec->gates) text.append("- ").append(gate).append("\n");
  return text;
}

std::string attempt_directory(const schema::JobSpecT& spec) {
  return spec.worktree ? spec.job_dir + "/" + kWorktreeFolder : spec.working_dir;
}

std::vector<std::string> file_steps(const schema::JobSpecT& spec, const std::string& client_program) {
  std::vector<std::string> steps;
  if (client_program.empty()) return steps;
  const std::string program = shell_quote(client_program) + " snapshot ";
  if (spec.worktree) steps.push_back(program + "worktree --from " + shell_quote(spec.working_dir));
  // Snapshots of a worktree cost little and show what each attempt did.
  if (!spec.snapshot && !spec.worktree) return steps;
  // It must end before luzia-run's timeout, which would fail the attempt.
  const std::uint64_t limit_ms = std::min(kSnapshotLimitMs, spec.preflight_timeout_ms / 4 * 3);
  steps.push_back(program + "take --max-file " + std::to_string(spec.snapshot_max_bytes) + " --timeout " +
                  std::to_string(limit_ms) + "ms || :");
  return steps;
}

Result<std::vector<std::string>> attempt_command(const JobState& job, const std::string& prompt,
                                                 const std::string& client_program) {
  const schema::JobSpecT& spec = *job.spec;
  return fill_placeholders(template_of(job), {{"task", prompt},
                                              {"task_file", spec.job_dir + "/task.sh"},
                                              {"prompt_file", spec.job_dir + "/prompt.txt"},
                                              {"project", spec.project},
                                              {"project_path", attempt_directory(spec)},
                                              {"session_id", job.session_id},
                                              {"job_id", job.job},
                                              {"job_dir", spec.job_dir},
                                              {"permissions", spec.permissions},
                                              {"luzia", client_program}});
}

Result<std::string> dispatch_environment(const std::string& job, std::string stored, const Hash& key) {
  if (!is_sealed(stored)) return stored;
  auto opened = opened_text(key, job, stored);
  if (opened) return std::move(*opened);
  return fail(ErrorKind::trouble, "environment_sealed",
              "the environment that job " + job +
                  " was dispatched with cannot be read: it was sealed with another key (STORE/attempt.key)",
              "dispatch it again with its --env");
}

std::vector<std::string> attempt_environment(const JobState& job, std::string_view extra,
                                             const std::string& socket_path) {
  const schema::JobSpecT& spec = *job.spec;
  std::map<std::string, std::string> env;
  env["PATH"] = kDefaultPath;
  for (const char* name : kInherited) {
    if (const char* value = getenv(name)) env[name] = value;
  }
  const std::string temp = spec.home + "/.tmp";
  for (const char* name : {"TMPDIR", "TEMP", "TMP"}) env[name] = temp;
  env["HOME"] = spec.home;
  env["USER"] = env["LOGNAME"] = spec.user;
  env["PWD"] = attempt_directory(spec);
  while (!extra.empty()) {
    const std::size_t end = extra.find('\0');
    const std::string_view entry = extra.substr(0, end);
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos)
      env[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
    extra.remove_prefix(end == std::string_view::npos ? extra.size() : end + 1);
  }
  env.erase(kCredential);
  env["LUZIA_JOB_ID"] = job.job;
  env["LUZIA_JOB_DIR"] = spec.job_dir;
  env["LUZIA_ATTEMPT"] = std::to_string(job.attempt);
  env["LUZIA_PROJECT"] = spec.project;
  if (!spec.flow.empty()) {
    env["LUZIA_FLOW"] = spec.flow;
    env["LUZIA_STEP"] = spec.step;
  }
  env["LUZIA_SOCKET"] = socket_path;
  std::vector<std::string> list;
  list.reserve(env.size());
  for (const auto& [name, value] : env) list.push_back(name + "=" + value);
  return list;
}

Result<Claim> prepare_and_launch(const Launcher& launcher, const EventLog& log, const JobState& job,
                                 const LaunchPlaces& places) {
  LaunchSpec launch = launch_spec(job, places);
  // A claimed attempt already has its directory, and its agent may be writing there.
  auto claimed = read_claim(places.run_dir, job.job, job.attempt);
  const bool unclaimed = claimed && !*claimed;
  Status prepared;
  // The launcher handles an incomplete claim: it knows whether luzia-run is still writing it.
  if (!claimed && claimed.error().code != "claim_unreadable") prepared = tl::unexpected(claimed.error());
  if (unclaimed && prepared) prepared = check_no_attempt_lives(launch.job_dir, launch.uid);
  if (unclaimed && prepared) prepared = prepare(log, job, places, launch);
  if (places.spent && unclaimed && prepared) {
    reuse_run_files(places.run_dir, *places.spent, job.job, job.attempt);
  } else if (places.spent) {
    remove_run_files(places.run_dir, places.spent->job, places.spent->attempt);
  }
  if (!prepared) return tl::unexpected(prepared.error());
  if (unclaimed && places.cgroups && job.spec->limits) {
    auto cgroup = places.cgroups->prepare(job.job, job.attempt, *job.spec->limits);
    if (!cgroup) spdlog::warn("{}; luziad looks at what it uses instead", cgroup.error().message);
    launch.cgroup = std::move(cgroup).value_or(std::string());
  }
  if (!launch.argv.empty()) launch.argv = in_terminal(*job.spec, std::move(launch.argv));
  return launcher.launch(launch);
}

}  // namespace luzia
