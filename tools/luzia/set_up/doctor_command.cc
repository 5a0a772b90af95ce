// doctor: checks the setup from the outside and names the fix of what is wrong. Starts only agents'
// own checks of their logins, changes nothing.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/job_dir/job_dir.h"
#include "adapters/notify/telegram_settings.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/joined_names.h"
#include "engine/base/places.h"
#include "engine/base/process_limits.h"
#include "engine/base/safe_folder.h"
#include "engine/base/store_filesystem.h"
#include "engine/event/limits_text.h"
#include "engine/ports/agent.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/pauses.h"
#include "projections/rows/table.h"
#include "projections/rows/wrapped.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/set_up/daemon_path.h"
#include "tools/luzia/set_up/fleet_check.h"
#include "tools/luzia/set_up/growth.h"
#include "tools/luzia/set_up/login_check.h"
#include "tools/luzia/set_up/sandbox_check.h"
#include "tools/luzia/set_up/schedule_check.h"
#include "tools/luzia/set_up/secret_check.h"
#include "tools/luzia/set_up/web_check.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

enum class Verdict { good, warning, bad };

/// How a verdict is called in JSON and for people.
struct VerdictWords {
  const char* name;
  const char* shown;
  Colour colour;
};
constexpr VerdictWords kVerdictWords[] = {
    {"good", "good", Colour::green}, {"warning", "warn", Colour::yellow}, {"bad", "BAD ", Colour::red}};

const VerdictWords& words_of(Verdict verdict) {
  return kVerdictWords[static_cast<std::size_t>(verdict)];
}

struct Finding {
  Verdict verdict;
  std::string what;
  std::string fix;
};

class Examination {
 public:
  void good(std::string what) { findings_.push_back({Verdict::good, std::move(what), {}}); }
  void warning(std::string what, std::string fix) {
    findings_.push_back({Verdict::warning, std::move(what), std::move(fix)});
  }
  void bad(std::string what, std::string fix) {
    findings_.push_back({Verdict::bad, std::move(what), std::move(fix)});
  }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

std::string first_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path.string();
}

void examine_store(Examination& examination, const std::string& store) {
  const std::string there = first_existing(store);
  if (const Status fit = check_store_filesystem(store); !fit)
    return examination.bad(fit.error().message, fit.error().hint);
  if (::access(there.c_str(), W_OK) != 0) {
    examination.bad("the store " + store + " cannot be written: you may not write to " + there,
                    "change its owner, or set [store] path");
    return;
  }
  struct stat status;
  if (::stat(store.c_str(), &status) == 0 && (status.st_mode & 0022) != 0) {
    examination.bad("others may write to the store " + store, "chmod go-w " + store);
  }
  if (const auto unsafe = unsafe_parent(store)) {
    examination.bad("of " + unsafe->folder + " above the store, " + unsafe->why +
                        ", who could put another store in its place: no daemon starts there",
                    unsafe->remedy);
  }
  struct statvfs space;
  constexpr std::uint64_t kLeast = 256ULL << 20;
  if (::statvfs(there.c_str(), &space) == 0) {
    const std::uint64_t free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    if (free_bytes < kLeast) {
      examination.warning("only " + std::to_string(free_bytes >> 20) + " MiB are free for the store " + store,
                          "make room: a full disk stops new jobs");
      return;
    }
  }
  examination.good("the store is " + store);
}

/// Earlier versions kept root's store below its home.
void examine_earlier_store(Examination& examination, const Place& place) {
  const std::string earlier = earlier_store_of_root();
  if (!place.named_by.empty() || earlier.empty() || earlier == place.store) return;
  examination.warning(
      "root's store is " + place.store + " now; the one of before, " + earlier + ", is not in use",
      "to go on with it, put [store] path = \"" + earlier + "\" into " + config_files().back().path +
          "; to look into it: luzia-query jobs --store " + earlier + "; to be rid of it, remove it");
}

/// A daemon of root does not start with an unsafe jobs folder; other daemons refuse each job.
void examine_jobs(Examination& examination, Invocation& invocation, const std::string& store) {
  const auto read = invocation.config();
  Config config = read ? **read : Config();
  config.store.path = store;  // the jobs lie beside it
  if (const Status safe = check_jobs_root(default_jobs_root(config)); !safe) {
    examination.bad(safe.error().message, safe.error().hint);
  }
  const std::string grown = grown_so_far(store, default_jobs_root(config));
  if (!grown.empty()) examination.good(grown);
}

/// Agents of other users reach root's daemon by a socket beside the store.
void examine_attempts_door(Examination& examination, Invocation& invocation, const std::string& store) {
  const auto config = invocation.config();
  if (::geteuid() != 0 || !config) return;
  const bool serves_others = std::ranges::any_of((*config)->projects, [](const auto& named) {
    const ProjectConfig& project = named.second;
    return !project.users.empty() || !project.groups.empty() || !project.user.empty();
  });
  if (!serves_others) return;
  const std::string silent = "agents of other users cannot report about their jobs: ";
  const std::string door = attempts_socket_path(store);
  if (door.empty()) {
    examination.warning(silent + store + " is too long for a socket beside it",
                        "put [store] path where it is shorter");
  } else if (const std::string shut = shut_folder_above(door); !shut.empty()) {
    examination.warning(silent + shut + " does not let them pass to " + door,
                        "chmod o+x " + shut + "; then luzia doctor looks again");
  }
}

/// Without namespaces, a job with a sandbox does not start; nor one with a list of hosts without the proxy.
void examine_sandbox(Examination& examination, Invocation& invocation) {
  const auto config = invocation.config();
  const auto where = config ? asks_for_sandbox(**config) : std::nullopt;
  const auto hosts = config ? asks_for_hosts(**config) : std::nullopt;
  if (hosts && find_own_program("luzia-proxy").empty()) {
    examination.bad(*hosts + " sandbox_network names hosts, and luzia-proxy, which leads to them, is missing",
                    "install luzia completely");
  }
  if (!where) return;
  const std::string why = why_no_sandbox(hosts.has_value());
  if (why.empty()) return examination.good("jobs can be confined, as " + *where + " sandbox asks");
  examination.bad(*where + " asks for a sandbox, and none can be made here: " + why,
                  ::geteuid() == 0 ? "give the daemon CAP_SYS_ADMIN"
                                   : "let users make user namespaces: sysctl user.max_user_namespaces, "
                                     "kernel.unprivileged_userns_clone, "
                                     "kernel.apparmor_restrict_unprivileged_userns");
}

void examine_programs(Examination& examination) {
  const std::string daemon = find_daemon_program();
  if (daemon.empty()) {
    examination.bad("luziad is neither beside luzia nor on PATH",
                    "install luzia completely, or name it with $LUZIA_DAEMON");
    return;
  }
  examination.good("the daemon program is " + daemon);
  if (find_program("tmux").empty()) {
    examination.warning("there is no tmux: luzia work on needs it", "apt install tmux");
  }
}

void examine_pauses(Examination& examination, Invocation& invocation, Client& client) {
  const auto answer = ask_rows(client, pauses_query(invocation.args()));
  if (!answer) examination.bad(answer.error().message, answer.error().hint);
  for (const view::QueueSwitch* pause : pauses_of(answer ? &*answer : nullptr)) {
    const std::string project = pause->scope() == nullptr ? "" : pause->scope()->str();
    const bool drains = pause->draining() && !pause->paused();
    // Rows of breakers and used-up budgets have no start time. Only a budget needs --budget to go on.
    const std::string_view note = pause->note() == nullptr ? "" : pause->note()->string_view();
    const bool spent = pause->since_us() == 0 && note.starts_with("its budget of ");
    const std::string resume = project.empty() ? "luzia resume --all" : "luzia resume --project " + project;
    const std::string goes_on = drains ? "luzia daemon drain --off" : spent ? resume + " --budget" : resume;
    examination.warning(pause_text(*pause, invocation.now()) + ": nothing starts there", goes_on);
  }
}

/// The daemon's description of itself; empty for callers other than its owner.
std::string description_of(Client& client) {
  const auto reply = ask_control(client, wire::ControlAction::info);
  const auto* described = reply ? (*reply)->reply.AsProgressed() : nullptr;
  return described == nullptr ? std::string() : described->message;
}

/// What follows `beginning` on its line; empty if no line has it.
std::string line_after(const std::string& text, std::string_view beginning) {
  const std::size_t from = text.find(beginning);
  if (from == std::string::npos) return {};
  return text.substr(from + beginning.size(), text.find('\n', from) - from - beginning.size());
}

/// Results of the last scrub, and removals that could not be carried out.
void examine_upkeep(Examination& examination, const std::string& description) {
  if (const std::string scrub = line_after(description, "scrub: ");
      scrub.find(" damaged") != std::string::npos) {
    examination.bad("the store is damaged: " + scrub,
                    "luzia-query verify says what; restore a backup, or save what can be proved of it: "
                    "luzia-query salvage DIR");
  } else if (!scrub.empty()) {
    examination.good("scrub: " + scrub);
  }
  if (const std::string keep = line_after(description, "keep: ");
      keep.find("; left: ") != std::string::npos) {
    examination.warning("keep: " + keep, "fix that; luziad tries again every hour and at its start");
  } else if (!keep.empty()) {
    examination.good("keep: " + keep);
  }
  if (const std::string seal = line_after(description, "seal: "); seal.starts_with("failed")) {
    examination.warning("seal: " + seal,
                        "correct [store] seal_to, or make room; luziad tries again by itself");
  } else if (!seal.empty()) {
    examination.good("seal: " + seal);
  }
  if (const std::string left = line_after(description, "not removed yet: "); !left.empty()) {
    examination.warning("not removed yet: " + left,
                        "fix that; luziad tries again every hour and at its start");
  }
}

/// Whether the daemon has read what its configuration files say now. One that is older, or another user's,
/// says nothing about it.
void examine_loaded_config(Examination& examination, const std::string& description) {
  const std::string state = line_after(description, "configuration: ");
  if (state.starts_with("refused, ")) {
    examination.bad("the daemon cannot read its configuration: " + state,
                    "luzia config check shows every mistake; correct them, then luzia config reload");
  } else if (state.starts_with("changed ")) {
    examination.warning("the daemon's configuration has " + state, "luzia config reload");
  } else if (!state.empty()) {
    examination.good("the daemon's configuration is " + state);
  }
}

/// Whether somebody holds the limits that the configuration sets.
void examine_attempt_limits(Examination& examination, const Config& config, const std::string& description) {
  std::vector<schema::AttemptLimitsT> all{config.jobs.limits};
  for (const auto& [name, project] : config.projects) all.push_back(project.limits);
  for (const auto& [name, agent] : config.agents) all.push_back(agent.limits);
  const std::string held = line_after(description, "limits of attempts are held: ");
  const bool any = std::ranges::any_of(all, [](const auto& each) { return !limits_text(each).empty(); });
  if (held.empty() || !any) return;
  const bool has_cpu = std::ranges::any_of(all, [](const auto& each) { return each.cpu_percent != 0; });
  if (has_cpu && held.find("CPU by nobody") != std::string::npos) {
    examination.warning("the configuration limits CPU, and limits of attempts are held: " + held,
                        "run luziad by its systemd unit: systemctl --user enable --now luziad.socket (the "
                        "system's: without --user); or remove cpu");
  } else {
    examination.good("limits of attempts are held: " + held);
  }
}

/// Devices that take pushes, if the daemon has a view of them.
void examine_pushes(Examination& examination, Client& client) {
  const auto devices = ask_rows(client, view_query(wire::View::devices));
  if (!devices || devices->type() != wire::RowType::device) return;
  if (auto fault = push_fault(devices->as<view::Device>(), find_own_program("luzia-push")))
    examination.bad(std::move(fault->what), std::move(fault->fix));
}

void examine_schedules(Examination& examination, Client& client) {
  const auto page = ask_rows(client, view_query(wire::View::schedules));
  if (!page || page->type() != wire::RowType::schedule) return;
  for (auto& [bad, what, fix] : schedule_findings(page->as<view::Schedule>())) {
    bad ? examination.bad(std::move(what), std::move(fix))
        : examination.warning(std::move(what), std::move(fix));
  }
}

void examine_fleet(Examination& examination, Invocation& invocation, Position tip) {
  const auto place = invocation.place();
  if (!place || place->store.empty()) return;
  auto [bad, what, fix] = fleet_finding(place->store, tip, invocation.now(), find_own_program("luzia-fleet"));
  if (fix.empty()) return examination.good(std::move(what));
  bad ? examination.bad(std::move(what), std::move(fix))
      : examination.warning(std::move(what), std::move(fix));
}

void examine_daemon(Examination& examination, Invocation& invocation) {
  auto client = invocation.connect(WhenAbsent::complain, WhenMistaken::leave_to_daemon);
  // Mistakes of the configuration are found already.
  if (!client && client.error().code.starts_with("config_")) return;
  if (!client && client.error().code == "no_daemon") {
    examination.good("no daemon is running; it starts when it is needed");
    return;
  }
  if (!client) {
    examination.bad(client.error().message, client.error().hint);
    return;
  }
  const auto reply = ask_control(*client, wire::ControlAction::ping);
  const auto* welcome = reply ? (*reply)->reply.AsWelcome() : nullptr;
  if (welcome == nullptr) {
    examination.bad(
        "the daemon does not answer a ping" + (reply ? std::string() : ": " + reply.error().message),
        reply || reply.error().hint.empty() ? "luzia daemon restart" : reply.error().hint);
  } else if (welcome->version != LUZIA_VERSION) {
    examination.warning("the daemon is version " + welcome->version + ", this program " LUZIA_VERSION,
                        "luzia daemon restart; running jobs are not touched");
  } else {
    examination.good("the daemon answers, pid " + std::to_string(welcome->pid));
    const std::string description = description_of(*client);
    examine_loaded_config(examination, description);
    examine_upkeep(examination, description);
    if (const auto config = invocation.config()) {
      examine_attempt_limits(examination, **config, description);
      if (!(*config)->fleet.url.empty()) examine_fleet(examination, invocation, welcome->position);
      for (const auto& [agent, program] : agents_daemon_lacks(**config, static_cast<pid_t>(welcome->pid))) {
        examination.warning("agent " + agent + ": the daemon's PATH lacks " + program,
                            "luzia daemon restart, or name that path in [agents." + agent + "] command");
      }
    }
    if (const auto low = too_low_limit(static_cast<pid_t>(welcome->pid), Bound::soft))
      examination.bad(low->message, "luzia daemon stop, then start it where that limit is higher");
    examine_pauses(examination, invocation, *client);
    examine_pushes(examination, *client);
    examine_schedules(examination, *client);
  }
}

/// Looks at files and variables only; `luzia hooks test telegram` asks Telegram.
void examine_telegram(Examination& examination, const TelegramConfig& telegram) {
  const bool in_file = !telegram.token_file.empty();
  const auto token = read_token(telegram.token_file, telegram.token_variable);
  if (token) {
    examination.good("telegram: the token is in place; luzia hooks test telegram sends a sample");
  } else if (in_file) {
    examination.bad(token.error().message, token.error().hint);
  } else {
    examination.warning(token.error().message + " here", "the daemon needs it in its own environment");
  }
  if (telegram.chats.empty()) {
    examination.warning("telegram: [telegram] chats is empty, so nobody is notified",
                        "write to the bot: luziad.log then names the chat");
  }
}

void examine_web(Examination& examination, const WebConfig& web, const std::string& store, TimeUs now) {
  auto faults = certificate_faults(web, now);
  std::ranges::move(running_faults(web, store), std::back_inserter(faults));
  for (WebFault& fault : faults) {
    if (fault.serious) {
      examination.bad(std::move(fault.what), std::move(fault.fix));
    } else {
      examination.warning(std::move(fault.what), std::move(fault.fix));
    }
  }
  if (faults.empty() && web.enabled) examination.good("web: luzia-web runs");
}

/// Whether the agent itself says that it is logged in; else, whether files or variables show it. Only a
/// warning, as keyrings are not searched.
void examine_login(Examination& examination, const std::string& name, const AgentProfile& profile) {
  const Agent* known = find_agent(name);
  const char* home = std::getenv("HOME");
  const auto is_set = [&](const char* variable) {
    return std::getenv(variable) != nullptr || profile.env.contains(variable);
  };
  const auto is_there = [&](const char* file) {
    std::error_code ignored;
    return home != nullptr && fs::exists(std::string(home) + "/" + file, ignored);
  };
  const std::string& program = profile.command.front();
  const LoginCheck checked =
      known == nullptr ? LoginCheck::unknown : check_login(program, known->login_check, profile.env);
  const bool has_variable = known != nullptr && std::ranges::any_of(known->login_variables, is_set);
  const bool shows = known == nullptr || has_variable || std::ranges::any_of(known->login_files, is_there);
  if (checked == LoginCheck::good || has_variable || (checked == LoginCheck::unknown && shows)) {
    return examination.good("agent " + name + ": " + program +
                            (checked == LoginCheck::good ? ", which says that it is logged in" : ""));
  }
  const std::string help = std::string(known->login_help) + "; luzia daemon restart, if you set a variable";
  if (checked == LoginCheck::bad) {
    return examination.warning("agent " + name + ": " + program + ", which says that it is not logged in",
                               help);
  }
  examination.warning(
      "agent " + name + ": " + program + ", but no login of " + std::string(known->title) + " shows here",
      help + "; a keyring may have it all the same");
}

/// "projects api and web" that use the agent by their own key or by [defaults]; empty: none does.
std::string users_of_agent(const Config& config, const std::string& agent) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> projects;
  for (const auto& [name, project] : config.projects) {
    const std::string& its = project.agent.empty() ? config.defaults.agent : project.agent;
    if (its == agent) projects.push_back(name);
  }
  if (projects.empty()) return config.defaults.agent == agent ? "[defaults]" : "";
  std::string words = projects.size() == 1 ? "project " : "projects ";
  if (projects.size() > kMostNamed) {
    const std::size_t others = projects.size() - kMostNamed;
    projects.resize(kMostNamed);
    projects.push_back(std::to_string(others) + " others");
  }
  return words + joined_names(projects);
}

void examine_config(Examination& examination, const Config& config) {
  bool has_coding_agent = false;
  for (const auto& [name, agent] : config.agents) {
    const std::string program = agent.command.empty() ? "" : agent.command.front();
    if (!find_program(program).empty()) {
      has_coding_agent = has_coding_agent || name != "shell";
      examine_login(examination, name, agent);
    } else if (const std::string users = users_of_agent(config, name); !users.empty()) {
      examination.bad(
          "agent " + name + ": there is no program " + program + ", and " + users + " would use it",
          "install it, name it in [agents." + name + "] command, or choose another agent there");
    }
  }
  if (!has_coding_agent) {
    examination.warning("no coding agent is installed (" + agent_names() + "): only commands can run",
                        "install one; if it is not on PATH, name it in [agents.NAME] command");
  }
  std::error_code ignored;
  for (const auto& [name, project] : config.projects) {
    if (project.path.empty()) {
      examination.warning("project " + name + " has no path",
                          "set path in [projects." + name + "], or use --dir");
    } else if (!fs::is_directory(project.path, ignored)) {
      examination.bad("project " + name + ": there is no directory " + project.path,
                      "fix path in [projects." + name + "]");
    } else {
      examination.good("project " + name + ": " + project.path);
    }
  }
  for (const auto& [name, hook] : config.hooks) {
    const std::string program = hook.desktop ? "notify-send" : hook.command.front();
    if (find_program(program).empty()) {
      examination.bad("hook " + name + ": there is no program " + program,
                      hook.desktop ? "apt install libnotify-bin"
                                   : "install it, or fix command of the [[hooks]] named " + name);
    } else {
      examination.good("hook " + name + ": " + program);
    }
  }
  if (config.telegram.in_use()) examine_telegram(examination, config.telegram);
  if (config.projects.empty()) {
    examination.warning("no project is configured, so nothing can be dispatched",
                        "add [projects.NAME] with path = \"...\" to " + config_files().back().path);
  }
}

/// Names where each lies, up to a bound.
void warn_of_secrets(Examination& examination, const std::vector<FoundSecret>& found,
                     const std::string& fix) {
  constexpr std::size_t kMostShown = 10;
  for (std::size_t i = 0; i < std::min(found.size(), kMostShown); ++i) {
    examination.warning(found[i].file + ":" + std::to_string(found[i].line) + " holds what looks like " +
                            found[i].what + " in the clear",
                        fix);
  }
  if (found.size() > kMostShown)
    examination.warning("and " + std::to_string(found.size() - kMostShown) + " more such lines", fix);
}

void examine_secrets(Examination& examination, const Config& config, const std::string& store) {
  warn_of_secrets(examination, secrets_in_files(config.files),
                  "put it into a file of its own, and name that in [projects.NAME.secrets]");
  Config here = config;
  here.store.path = store;
  warn_of_secrets(examination, secrets_in_jobs(default_jobs_root(here)),
                  "renew it; luzia rm JOB --purge removes the job; new jobs get it from "
                  "[projects.NAME.secrets]");
}

/// Resource limits of a daemon that would be started from here. Root's daemon raises them itself.
void examine_limits(Examination& examination) {
  const auto low = ::geteuid() == 0 ? std::nullopt : too_low_limit(0, Bound::hard);
  if (low) examination.warning("no daemon can be started from here: " + low->message, low->hint);
}

void examine_kernel(Examination& examination) {
  std::ifstream file("/proc/sys/fs/inotify/max_user_watches");
  long watches = 0;
  constexpr long kLeast = 8'192;
  if (file >> watches && watches < kLeast) {
    examination.warning("the kernel allows only " + std::to_string(watches) + " file watches for each user",
                        "sysctl fs.inotify.max_user_watches=65536");
  }
}

std::string findings_json(const std::vector<Finding>& findings, bool sound) {
  JsonObject object;
  object.boolean("ok", sound);
  object.objects("findings", findings, [](JsonObject& each, const Finding& finding) {
    each.text("verdict", words_of(finding.verdict).name);
    each.text("what", finding.what);
    each.text_or_null("mend", finding.fix);
  });
  return object.take();
}

void print_findings(Invocation& invocation, const std::vector<Finding>& findings) {
  constexpr std::size_t kTextColumn = 6, kFixColumn = kTextColumn + 6;
  const Terminal& terminal = invocation.terminal();
  const auto wrapped = [&](const std::string& text, std::size_t column) {
    return wrap_hanging(make_harmless(text), terminal.width, column);
  };
  for (const Finding& finding : findings) {
    const VerdictWords& words = words_of(finding.verdict);
    print_line(coloured(words.shown, words.colour, terminal.colour) + "  " +
               wrapped(finding.what, kTextColumn));
    if (!finding.fix.empty()) print_line("      fix: " + wrapped(finding.fix, kFixColumn));
  }
}

Result<int> run_doctor(Invocation& invocation) {
  Examination examination;
  const std::vector<Error> errors = check_config(invocation.args().text("config"));
  for (const Error& error : errors) examination.bad(error.message, error.hint);
  if (const auto config = invocation.config()) {
    if (errors.empty()) examination.good("the configuration is valid");
    for (const Error& each : (*config)->warnings) examination.warning(each.message, each.hint);
    examine_config(examination, **config);
  }
  examine_programs(examination);
  examine_sandbox(examination, invocation);
  if (const auto place = invocation.place()) {
    if (!place->store.empty()) {
      examine_store(examination, place->store);
      examine_earlier_store(examination, *place);
      examine_jobs(examination, invocation, place->store);
      examine_attempts_door(examination, invocation, place->store);
      if (const auto config = invocation.config())
        examine_web(examination, (*config)->web, place->store, invocation.now());
      if (const auto config = invocation.config()) examine_secrets(examination, **config, place->store);
    }
    examine_daemon(examination, invocation);
  } else {
    examination.bad(place.error().message, place.error().hint);
    // A daemon on the default store may still run with what it read before the mistake.
    if (place.error().code.starts_with("config_")) examine_daemon(examination, invocation);
  }
  examine_limits(examination);
  examine_kernel(examination);
  bool sound = true;
  for (const Finding& finding : examination.findings()) sound = sound && finding.verdict != Verdict::bad;
  if (invocation.json()) {
    print_line(findings_json(examination.findings(), sound));
  } else {
    print_findings(invocation, examination.findings());
  }
  return sound ? 0 : 1;
}

}  // namespace

const Command kDoctorCommand = {
    "doctor",
    "Set up",
    "",
    "check the setup and suggest fixes",
    "Looks at configuration, agents, projects, store, programs, the page for browsers and its certificate, "
    "the mirror of the fleet, daemon and kernel limits, whether the daemon has read the configuration as it "
    "is now, and whether "
    "secrets lie in it or in job directories. Starts and changes nothing. Exit code 1 when something is bad.",
    "luzia doctor",
    {},
    {},
    run_doctor};

}  // namespace luzia
