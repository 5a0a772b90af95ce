// What scenarios do with the daemon under test: dispatch, wait, ask, run programs beside it, read its use of
// the machine. A daemon that answers wrongly ends the harness with an explanation: a figure would be false.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/harness/subject.h"
#include "common.fb.h"

namespace luzia::bench {

/// Ends the program with exit code 5 and this line.
[[noreturn]] void give_up(const std::string& what);

/// Dispatches `count` jobs, many under way at a time; their ids in order.
std::vector<std::string> dispatch_all(Client& client, const std::string& task, int count);
/// One client that keeps `outstanding` dispatches under way for so long.
Rate dispatch_for(const Subject& subject, int outstanding, double seconds);
/// So many clients with that many each.
Rate dispatch_from_many(const Subject& subject, int clients, int outstanding, double seconds);
/// The same to whoever answers at `socket`.
Rate dispatch_to(const std::string& socket, int clients, int outstanding, double seconds);
/// Until all jobs are in one of the states (none: ended).
void wait_for_all(Client& client, std::vector<std::string> ids, std::vector<schema::JobState> until = {});
/// Forced, and waited for.
void cancel_all(Client& client, const std::vector<std::string>& ids);

wire::RequestUnion job_query(const std::string& id);
/// Asks for one job's row again and again.
Latencies ask_for_job(Client& client, const std::string& id, double seconds);
/// Runs a program once, then again and again for so long, its output thrown away; it must end with 0.
Latencies run_program(const std::vector<std::string>& words, double seconds);

struct ProcessUse {
  std::uint64_t wakeups = 0;  // voluntary context switches of all threads
  double cpu_seconds = 0;
  double rss_kib = 0;
  double anonymous_kib = 0;  // of these, what no file backs: not the program's own code
};
ProcessUse use_of(pid_t pid);

/// Bytes of all files below the folder.
double folder_bytes(const std::string& folder);

}  // namespace luzia::bench
