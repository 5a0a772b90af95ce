// luzia-run as the parent process of a hook: a command that is told of one event and has a limited time. The
// daemon ignores its own children's ends (the kernel collects them), so somebody else must see the exit code;
// and whoever kills a hook must reach what it has started, which a subreaper can.
#pragma once

namespace luzia::run {

/// `luzia-run --hook=TIMEOUT_MS --working-dir=DIR --open-files=N --report-fd=FD [--user=UID:GID:GROUP,...]
/// -- COMMAND...`. Standard input and output are the hook's; its environment is ours. With a user it becomes
/// that one first, with these supplementary groups only. At the end, or when the time is over, everything
/// below is killed, and one line goes to the report descriptor: "exit N", "signal N", "timeout" or "failed
/// WHY". TERM and USR1 end it early. Nothing is kept: a daemon that is gone asks another one for the same
/// again.
bool is_hook(int argc, char** argv);
int run_hook(int argc, char** argv, char** envp);

}  // namespace luzia::run
