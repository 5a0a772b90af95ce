// The scenarios: each measures one or more figures beside their yardsticks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/measure.h"

namespace luzia::bench {

/// The load that the soak scenario maintains.
struct HeldLoad {
  int running = 500, queued = 10'000, clients = 100;
};

struct Setting {
  std::string bin;      // where the programs are
  std::string agents;   // where luzia-bench-agent is
  std::string peers;    // where the scripts of peers are
  std::string scratch;  // a folder on a real disk
  double seconds = 2;   // per measured period
  int repetitions = 3;
  int clients = 0, outstanding = 0;     // for dispatch, instead of its usual three loads; 0: not given
  int jobs = 300;                       // for scenarios that count jobs
  int live = 1'000;                     // concurrent jobs: crowd and idle
  std::uint64_t events = 1'000'000;     // in replay's smaller store; the larger one has ten times as many
  std::uint64_t log_bytes = 256 << 20;  // size of the log for issues and agreement, of all outputs for search
  std::vector<std::uint64_t> sizes = {1'000, 100'000, 1'000'000};  // jobs in the stores of scale
  HeldLoad held;                                                   // set by --live, --jobs and --clients
  std::vector<std::uint64_t> web_sizes = {100'000};  // jobs in the stores of web; set by --sizes
  std::string only;                                  // the part of web that is measured; empty: all
};

struct Scenario {
  const char* name;
  const char* what;
  std::vector<Figure> (*run)(const Setting&);
  bool in_all;  // false: takes hours, or needs a browser, so `all` leaves it out
};

const std::vector<Scenario>& scenarios();

/// Names of the parts of web.
const std::vector<std::string>& web_parts();

std::vector<Figure> run_dispatch(const Setting& setting);
std::vector<Figure> run_e2e(const Setting& setting);
std::vector<Figure> run_peers(const Setting& setting);
std::vector<Figure> run_scale(const Setting& setting);
std::vector<Figure> run_queue(const Setting& setting);
std::vector<Figure> run_replay(const Setting& setting);
std::vector<Figure> run_at(const Setting& setting);
std::vector<Figure> run_status(const Setting& setting);
std::vector<Figure> run_watch(const Setting& setting);
std::vector<Figure> run_scan(const Setting& setting);
std::vector<Figure> run_search(const Setting& setting);
std::vector<Figure> run_issues(const Setting& setting);
std::vector<Figure> run_agreement(const Setting& setting);
std::vector<Figure> run_crowd(const Setting& setting);
std::vector<Figure> run_idle(const Setting& setting);
std::vector<Figure> run_memory(const Setting& setting);
std::vector<Figure> run_open(const Setting& setting);
std::vector<Figure> run_publish(const Setting& setting);
std::vector<Figure> run_machines(const Setting& setting);
std::vector<Figure> run_fleet(const Setting& setting);  // only with luzia-fleet
std::vector<Figure> run_soak(const Setting& setting);
std::vector<Figure> run_web(const Setting& setting);

}  // namespace luzia::bench
