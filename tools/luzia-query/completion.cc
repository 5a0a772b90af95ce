#include "tools/luzia-query/completion.h"

#include "adapters/config/config.h"
#include "adapters/socket/socket_path.h"
#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/daemon_source.h"
#include "tools/luzia-query/pages.h"

namespace luzia {
namespace {

/// Candidates that begin with what has been typed.
class Candidates {
 public:
  explicit Candidates(std::string prefix) : prefix_(std::move(prefix)) {}
  void add(std::string_view word, std::string_view help = {}) {
    if (word.starts_with(prefix_)) lines_.append(word).append("\t").append(help).append("\n");
  }
  void add_all(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add(word);
  }
  void only(std::string_view what) { lines_ = std::string(what) + "\n"; }
  std::string take() { return std::move(lines_); }
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
  std::string lines_;
};

void add_jobs(Candidates& candidates, const SourceOptions& place) {
  candidates.add("@last", "the newest job");
  if (place.socket.empty() && place.store.empty()) return;
  auto socket = place.socket.empty() ? socket_path(place.store) : Result<std::string>(place.socket);
  const SilenceLimit hurried{std::chrono::milliseconds(1'000), {}};  // a person waits for the next letter
  auto client = socket ? Client::connect(*socket, hurried) : tl::unexpected(socket.error());
  if (!client) return;
  DaemonSource source(std::move(*client), *socket, hurried);
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.limit = 100;
  const auto page = source.query(query);
  const auto jobs = page ? rows_of<view::Job>(*page) : tl::unexpected(page.error());
  if (!jobs) return;
  for (const view::Job* job : *jobs) {
    candidates.add(text(job->id()),
                   std::string(state_name(job->state())) + " " +
                       fit_width(make_harmless(text(job->project()), {.keep_tabs = false}), 40));
  }
}

template <class Map>
void add_names(Candidates& candidates, const Map& map, std::string_view help) {
  for (const auto& [name, value] : map) candidates.add(name, help);
}

void add_configured(Candidates& candidates, bool projects) {
  const auto config = load_config();
  if (!config) return;
  projects ? add_names(candidates, config->projects, "project")
           : add_names(candidates, config->agents, "agent");
}

void add_values(Candidates& candidates, std::string_view option, const SourceOptions& place) {
  if (option == "--job") return add_jobs(candidates, place);
  if (option == "--project" || option == "--agent") return add_configured(candidates, option == "--project");
  if (option == "--store" || option == "--into") return candidates.only(":directory");
  if (option == "--config" || option == "--out") return candidates.only(":file");
  if (option == "--color") return candidates.add_all({"auto", "always", "never"});
  if (option == "--format") return candidates.add_all({"jsonl", "cloudevents"});
  if (option != "--state") return;
  for (const schema::JobState state : schema::EnumValuesJobState()) {
    if (state != schema::JobState::none) candidates.add(state_name(state));
  }
}

void add_argument(Candidates& candidates, const Grammar& grammar, const SourceOptions& place) {
  if (grammar.argument == "JOB") return add_jobs(candidates, place);
  if (grammar.argument == "DIR") return candidates.only(":directory");
  if (grammar.argument != "WHAT") return;
  for (const Command& one : exports()) {
    candidates.add(one.name.substr(one.name.find(' ') + 1), one.summary);
  }
}

void add_commands(Candidates& candidates) {
  for (const Command& command : commands()) candidates.add(command.name, command.summary);
}

/// Whether the command's argument stands among the words before the last.
bool has_argument(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) return true;
    if (takes_value(words[i])) ++i;
  }
  return false;
}

}  // namespace

std::string completions(const std::vector<std::string>& words, const SourceOptions& place) {
  Candidates candidates(words.empty() ? "" : words.back());
  std::vector<std::string> before = words;
  if (!before.empty()) before.pop_back();
  CommandLine line = split_command_line(before);
  const Command* command = find_command(line.command);
  if (command != nullptr) {
    const auto one = narrowed(*command, line.words);
    command = one ? *one : nullptr;
  }
  if (!before.empty() && takes_value(before.back())) {
    add_values(candidates, before.back(), place);
  } else if (candidates.prefix().starts_with("-")) {
    for (const auto& [name, help] : option_names(command ? command->grammar : Grammar{})) {
      candidates.add(name, help);
    }
  } else if (line.command.empty() || line.command == "help") {
    add_commands(candidates);
  } else if (command && !has_argument(line.words)) {
    add_argument(candidates, command->grammar, place);
  }
  return candidates.take();
}

}  // namespace luzia
