// doctor: checks the setup from the outside and names the fix of what is wrong. Starts only agents'
// own checks of their logins, changes nothing.
#include <unistd.h>

#include <fstream>

#include "engine/base/process_limits.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "projections/rows/wrapped.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/families.h"
#include "tools/luzia/run/find_program.h"
#include "tools/luzia/set_up/examination.h"
#include "tools/luzia/set_up/sandbox_check.h"

namespace luzia {
namespace {

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
    if (!place->store.empty()) examine_place(examination, invocation, *place);
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
