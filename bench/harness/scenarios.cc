#include "bench/harness/scenarios.h"

namespace luzia::bench {

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kScenarios = {
      {"dispatch", "durable dispatch: 1 client, 16 clients, 128 outstanding", run_dispatch, true},
      {"e2e", "jobs dispatched, run and recorded", run_e2e, true},
      {"peers", "the same by what people would use instead", run_peers, true},
      {"scale", "dispatch, status and start with many jobs in the store", run_scale, true},
      {"queue", "status, why and dispatch beside 10,000 queued jobs and beside 10", run_queue, true},
      {"replay", "the log read, proved and folded; ten times as many events", run_replay, true},
      {"at", "the past at random positions of the log", run_at, true},
      {"status", "one job's row: over the socket, by luzia, by luzia-query", run_status, true},
      {"watch", "from a line of output to its event", run_watch, true},
      {"scan", "the line splitter and decoder over a build's output", run_scan, true},
      {"search", "luzia search over the outputs of many jobs, beside ripgrep", run_search, true},
      {"issues", "the shipped patterns of known issues over a mixed log", run_issues, true},
      {"agreement", "the same lines as grep -E finds, and what both take", run_agreement, true},
      {"crowd", "live jobs that each write 20 lines/s", run_crowd, true},
      {"idle", "what a crowd of silent jobs costs", run_idle, true},
      {"memory", "the daemon and its disk with many finished jobs", run_memory, true},
      {"open", "until a daemon is ready, over ten times --events", run_open, true},
      {"publish", "one report from a program", run_publish, true},
      {"machines", "status over 10 machines, one of which is dead", run_machines, true},
#ifdef LUZIA_WITH_FLEET
      {"fleet", "the mirror of a backlog and of single events in PostgreSQL, and its cost", run_fleet, false},
#endif
      {"soak", "500 jobs, 10,000 queued and 100 clients held for --seconds", run_soak, false},
      {"web", "the page in a browser, the HTTP API, and what attacks on it cost the daemon", run_web, false}};
  return kScenarios;
}

}  // namespace luzia::bench
