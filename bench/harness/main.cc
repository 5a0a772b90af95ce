// luzia-bench: what this machine can do with Luzia, each figure beside its yardstick of the same run.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/harness/report.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kScenarios = {
      {"dispatch", "durable dispatch: 1 client, 16 clients, 128 outstanding", run_dispatch},
      {"e2e", "jobs dispatched, run and recorded", run_e2e},
      {"status", "one job's row: over the socket, by luzia, by luzia-query", run_status},
      {"watch", "from a line of output to its event", run_watch},
      {"idle", "what a crowd of silent jobs costs", run_idle},
      {"open", "until a daemon is ready", run_open}};
  return kScenarios;
}

namespace {

void usage(FILE* to) {
  fputs(
      "luzia-bench: measures Luzia on this machine beside yardsticks of the same run.\n\n"
      "usage: luzia-bench SCENARIO|all [--seconds S] [--repetitions N] [--jobs N] [--bin DIR] [--scratch "
      "DIR] [--json]\n\n",
      to);
  for (const Scenario& scenario : scenarios()) fprintf(to, "  %-10s %s\n", scenario.name, scenario.what);
  fputs("\nexample: luzia-bench dispatch --seconds 5\n", to);
}

int usage_error(const char* what, const char* word) {
  fprintf(stderr, "luzia-bench: %s '%s'\n  hint: luzia-bench --help\n", what, word);
  return 2;
}

/// The agent of scenario watch: a mark every 5 ms that carries the time of its writing.
int print_marks(int count) {
  for (int i = 0; i < count; ++i) {
    char line[96];
    const int size = snprintf(line, sizeof line, "::notice::%.9f\n", now_seconds());
    if (write(STDOUT_FILENO, line, static_cast<std::size_t>(size)) != size) return 1;
    usleep(5000);
  }
  return 0;
}

int run(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "marks") == 0)
    return print_marks(static_cast<int>(strtol(argv[2], nullptr, 10)));
  Setting setting;
  setting.bin =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../tools").lexically_normal();
  setting.scratch = std::filesystem::temp_directory_path() / ("luzia-bench." + std::to_string(getpid()));
  std::string wanted;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      usage(stdout);
      return 0;
    }
    if (word == "--json") {
      json = true;
    } else if (word.starts_with("--")) {
      if (i + 1 >= argc) return usage_error("no value for", argv[i]);
      const char* value = argv[++i];
      if (word == "--seconds") {
        setting.seconds = atof(value);
      } else if (word == "--repetitions") {
        setting.repetitions = static_cast<int>(strtol(value, nullptr, 10));
      } else if (word == "--jobs") {
        setting.jobs = static_cast<int>(strtol(value, nullptr, 10));
      } else if (word == "--bin") {
        setting.bin = value;
      } else if (word == "--scratch") {
        setting.scratch = value;
      } else {
        return usage_error("unknown option", argv[i - 1]);
      }
    } else {
      wanted = word;
    }
  }
  if (wanted.empty()) {
    usage(stderr);
    return 2;
  }
  if (setting.seconds <= 0 || setting.repetitions < 1 || setting.jobs < 1) {
    return usage_error("--seconds, --repetitions and --jobs must be above 0, not", "0");
  }
  std::filesystem::create_directories(setting.scratch);
  std::vector<Figure> figures;
  bool known = false;
  for (const Scenario& scenario : scenarios()) {
    if (wanted != "all" && wanted != scenario.name) continue;
    known = true;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%s ...\n", scenario.name);
    for (Figure& figure : scenario.run(setting)) figures.push_back(std::move(figure));
  }
  std::filesystem::remove_all(setting.scratch);
  if (!known) return usage_error("unknown scenario", wanted.c_str());
  fputs((json ? figures_json(figures) : figures_table(figures)).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace luzia::bench

int main(int argc, char** argv) {
  return luzia::bench::run(argc, argv);
}
