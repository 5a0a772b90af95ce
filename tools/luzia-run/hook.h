// luzia-run as the parent process of a hook, a command that receives one event and has a time limit. The
// daemon ignores SIGCHLD (the kernel reaps its children), so another process must observe the exit code. And
// a hook's timeout must kill everything that it started, which a subreaper can do.
#pragma once

namespace luzia::run {

/// `luzia-run --hook=TIMEOUT_MS --working-dir=DIR --open-files=N --report-fd=FD [--user=UID:GID:GROUP,...] --
/// COMMAND...`. Standard input, output and environment are passed to the hook. With --user it first switches
/// to that account, with these supplementary groups only. When the hook ends or times out, all its
/// descendants are killed. Then one line goes to the report descriptor: "exit N", "signal N", "timeout" or
/// "failed WHY". TERM and USR1 end it early. It stores nothing: if the daemon is gone, the next one runs the
/// hook again.
bool is_hook(int argc, char** argv);
int run_hook(int argc, char** argv, char** envp);

}  // namespace luzia::run
