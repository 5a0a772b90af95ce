#include "tools/luzia-query/man_page.h"

#include <fmt/format.h>

#include "projections/rows/roff.h"
#include "tools/luzia-query/commands.h"

namespace luzia {
namespace {

/// As it stands, line by line.
std::string verbatim(std::string_view text) {
  return fmt::format(".PP\n.nf\n.RS\n{}.RE\n.fi\n", roff(text));
}

std::string section_of(const Command& command) {
  const std::string_view argument = command.grammar.argument;
  return fmt::format(".SS {0}{1}{2} [OPTIONS]\n{3}.\n{4}.PP\nExamples:\n{5}", roff(command.name),
                     argument.empty() ? "" : " ", roff(argument), roff(command.summary),
                     verbatim(describe_options(command.grammar)), verbatim(command.examples));
}

constexpr const char* kHead = R"(.TH LUZIA-QUERY 1 "" "luzia )" LUZIA_VERSION R"(" "User Commands"
.SH NAME
luzia\-query \- the read side of luzia: what is, what was, and whether it is true
.SH SYNOPSIS
.B luzia\-query
\fICOMMAND\fR [OPTIONS]
.SH DESCRIPTION
Answers from the log of events and the rows made of it. Every read but diff, play and verify takes \fB\-\-at\fR POSITION|TIME: the answer as it
was then. A daemon that runs on the store is asked; else the store is read (\fB\-\-offline\fR: in any case),
as of its last event: durations of what was at work then end there.
.SH COMMANDS
)";

constexpr const char* kTail = R"(.SH EXIT STATUS
0 done, 1 what verify looked at is faulty, 2 bad usage, 3 no such job, 4 refused, 5 trouble with daemon or store.
.SH ENVIRONMENT
.TP
.B LUZIA_STORE
The store to ask about.
.TP
.B LUZIA_CONFIG
A configuration to read too.
.SH SEE ALSO
.BR luzia (1),
.BR luziad (8)
)";

}  // namespace

std::string man_page() {
  std::string text = kHead;
  for (const Command& command : commands()) {
    text += section_of(command);
    if (command.name != "export") continue;
    for (const Command& one : exports()) text += section_of(one);
  }
  return text + kTail;
}

}  // namespace luzia
