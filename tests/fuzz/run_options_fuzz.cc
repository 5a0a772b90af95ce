// The command line of luzia-run, which sets up the sandbox: refused with a reason, or what it names is
// complete. Only one that says so has a network, and hosts are reached only without one. Input lines: the
// arguments.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia-run/options.h"

namespace luzia {
namespace {

void check_sandbox(const run::Options& options, const std::vector<std::string>& given) {
  std::string network;
  for (const std::string& word : given) {
    if (word == "--") break;
    if (word.starts_with("--sandbox=")) network = word.substr(std::strlen("--sandbox="));
  }
  require(options.sandbox == !network.empty(), "a sandbox is asked for");
  require(!options.sandbox || network == (options.network ? "all" : "none"), "its network is the last named");
  require(options.hosts.count == 0 || (options.sandbox && !options.network), "hosts are an exception");
  require(options.hosts.count != 1, "a proxy reaches something");
  require(options.guarded.count == 0 || options.sandbox, "a sandbox guards");
  for (std::size_t i = 0; i < options.guarded.count; ++i)
    require(options.guarded.paths[i][0] == '/', "a guarded path is whole");
  for (std::size_t i = 0; i < options.shown.count; ++i) {
    const std::string_view rule = options.shown.rules[i];
    require(rule.size() > 2 && std::string_view("rwxctp").find(rule[0]) != std::string_view::npos &&
                rule.substr(1, 2) == ":/",
            "a rule names a kind and a whole path");
  }
}

void check_run_options(const std::vector<std::string>& given) {
  std::vector<std::string> kept = {"luzia-run"}, entry = {"@HOME=/home/me"};
  kept.insert(kept.end(), given.begin(), given.end());
  std::vector<char*> words, environment = {entry.front().data(), nullptr};
  for (std::string& word : kept) words.push_back(word.data());
  words.push_back(nullptr);
  run::Options options;
  run::Text<512> problem;
  const int count = static_cast<int>(kept.size());
  if (!run::parse_options(count, words.data(), environment.data(), options, problem))
    return require(!problem.empty(), "a refusal gives a reason");
  for (const char* path : {options.run_dir, options.job_dir, options.working_dir})
    require(path != nullptr && *path == '/', "paths are whole");
  require(options.job != nullptr && std::strchr(options.job, '/') == nullptr && *options.job != '.',
          "a job is one name");
  require(options.attempt > 0 && options.command != nullptr && *options.command != nullptr,
          "there is an attempt and what it runs");
  require(options.limit_count <= run::Options::kMostLimits, "limits are bounded");
  require(std::string_view(options.environment[0]) == "HOME=/home/me", "the environment is the agent's");
  check_sandbox(options, given);
  run::hide_words(options);
  const auto first = static_cast<std::size_t>(options.command - words.data());
  for (std::size_t i = first; i < kept.size(); ++i)
    require(options.command[i - first] == given[i - 1], "its words stay");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] == '\n' || input[i] == '\0') {
      words.emplace_back();
    } else {
      words.back().push_back(static_cast<char>(input[i]));
    }
  }
  check_run_options(words);
}
