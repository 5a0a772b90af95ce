// Drives the daemon under test: dispatches, waits, queries, runs programs beside it, and reads its resource
// use. If the daemon answers wrongly, the harness exits with an explanation, because any figure would be
// false.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/harness/history.h"
#include "bench/harness/measure.h"
#include "bench/harness/subject.h"
#include "common.fb.h"

namespace luzia::bench {

/// Prints this line and ends the program with exit code 5.
[[noreturn]] void give_up(const std::string& what);

/// Fills the store of a subject that was not started yet; shows the progress.
HistoryCount fill_store(const Subject& subject, const HistoryShape& shape);

/// Dispatches `count` jobs with many requests in flight; returns their ids in order.
std::vector<std::string> dispatch_all(Client& client, const std::string& task, int count);
/// One client that keeps `outstanding` dispatches in flight for `seconds`.
Rate dispatch_for(const Subject& subject, int outstanding, double seconds);
/// The same with several clients, each with `outstanding` dispatches.
Rate dispatch_from_many(const Subject& subject, int clients, int outstanding, double seconds);
/// The same against the server that listens at `socket`.
Rate dispatch_to(const std::string& socket, int clients, int outstanding, double seconds);
/// Waits until all jobs are in one of the states (empty: ended).
void wait_for_all(Client& client, std::vector<std::string> ids, std::vector<schema::JobState> until = {});
/// Cancels the jobs forcibly and waits for their ends.
void cancel_all(Client& client, const std::vector<std::string>& ids);

wire::RequestUnion job_query(const std::string& id);
/// Queries one job's row repeatedly.
Latencies ask_for_job(Client& client, const std::string& id, double seconds);
/// Runs a program repeatedly for `seconds`, at least once, discarding its output; it must exit with `code`.
Latencies run_program(const std::vector<std::string>& words, double seconds, int code = 0);

struct ProcessUse {
  std::uint64_t wakeups = 0;  // voluntary context switches of all threads
  double cpu_seconds = 0;
  double rss_kib = 0;
  double anonymous_kib = 0;  // the part without a backing file: not the program's own code
};
ProcessUse use_of(pid_t pid);

/// Total size of all files below the folder, in bytes.
double folder_bytes(const std::string& folder);

}  // namespace luzia::bench
