#include "tools/luzia/set_up/setup_questions.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/whole_number.h"
#include "tools/cli/arguments.h"

namespace luzia::init {
namespace {

tl::unexpected<Error> cancelled() {
  return fail(ErrorKind::refused, "cancelled", "setting up: the answers ended; nothing was changed",
              "luzia init --yes takes the defaults");
}

std::vector<std::string> words_of(std::string text) {
  for (const char blank : {',', '\t', '\r'}) std::ranges::replace(text, blank, ' ');
  return split_list(text, ' ');
}

std::string listed(const std::string& question, const std::vector<std::string>& options) {
  std::string text = question + "\n";
  for (std::size_t i = 0; i < options.size(); ++i) {
    text += "  " + std::to_string(i + 1) + "  " + options[i] + "\n";
  }
  return text;
}

/// The number of one option, from 0. Enter is the first.
Result<std::size_t> ask_one(const std::string& question, const std::vector<std::string>& options,
                            const AskPerson& ask) {
  std::string text = listed(question, options) + "  number [1]: ";
  while (true) {
    const auto answer = ask(text);
    if (!answer) return cancelled();
    const std::string word(trimmed(*answer));
    const auto number = word.empty() ? std::optional<std::uint64_t>(1) : parse_whole_number(word);
    if (number && *number >= 1 && *number <= options.size()) return static_cast<std::size_t>(*number - 1);
    text = "  a number from 1 to " + std::to_string(options.size()) + " [1]: ";
  }
}

/// Agents by number or name; nothing: a word is neither.
std::optional<std::vector<const Agent*>> chosen_agents(const std::vector<const Agent*>& installed,
                                                       const std::string& answer) {
  const auto words = words_of(answer);
  if (words.empty()) return installed;
  std::vector<const Agent*> chosen;
  for (const std::string& word : words) {
    const auto number = parse_whole_number(word);
    auto agent = installed.end();
    if (number && *number >= 1 && *number <= installed.size()) {
      agent = installed.begin() + static_cast<std::ptrdiff_t>(*number - 1);
    } else {
      agent = std::ranges::find(installed, word, &Agent::name);
    }
    if (agent == installed.end()) return std::nullopt;
    if (std::ranges::find(chosen, *agent) == chosen.end()) chosen.push_back(*agent);
  }
  return chosen;
}

Result<std::vector<const Agent*>> ask_agents(const std::vector<const Agent*>& installed,
                                             const AskPerson& ask) {
  std::vector<std::string> options;
  std::string all;
  for (const Agent* agent : installed) {
    options.push_back(std::string(agent->title) + " (" + std::string(agent->name) + ")");
    all += (all.empty() ? "" : ",") + std::to_string(options.size());
  }
  std::string text = listed("Which agents work here? The first does the tasks that name none.", options) +
                     "  numbers [" + all + "]: ";
  while (true) {
    const auto answer = ask(text);
    if (!answer) return cancelled();
    if (auto chosen = chosen_agents(installed, *answer)) return std::move(*chosen);
    text = "  numbers from 1 to " + std::to_string(options.size()) + ", with commas [" + all + "]: ";
  }
}

/// An address that the configuration takes.
Result<std::string> ask_address(const AskPerson& ask) {
  std::string text = "  address (https://ntfy.sh/TOPIC, a Slack webhook, ...): ";
  while (true) {
    const auto answer = ask(text);
    if (!answer) return cancelled();
    Choices choices;
    choices.notified = Notified::address;
    choices.address = trimmed(*answer);
    const auto valid = with_choices("luzia.toml", "", {}, {}, choices);
    if (valid) return choices.address;
    text = "  an address that begins with https:// or http://: ";
  }
}

Status ask_notified(const Options& options, const AskPerson& ask, Choices& choices) {
  std::vector<std::string> names;
  std::vector<Notified> values;
  if (options.has_desktop) {
    names.emplace_back("this desktop (notify-send)");
    values.push_back(Notified::desktop);
  }
  names.emplace_back("nobody: luzia status and luzia inbox show it");
  values.push_back(Notified::nobody);
  names.emplace_back("an address on the web: ntfy, Slack, or your own");
  values.push_back(Notified::address);
  const auto chosen = LUZIA_TRY(ask_one("Who is notified when an agent asks or a job fails?", names, ask));
  choices.notified = values[chosen];
  if (choices.notified == Notified::address) choices.address = LUZIA_TRY(ask_address(ask));
  return {};
}

}  // namespace

Choices default_choices(const Options& options) {
  Choices choices;
  choices.agents = options.installed;
  choices.notified = options.has_desktop && options.asks_notified ? Notified::desktop : Notified::nobody;
  return choices;
}

Result<Choices> ask_choices(const Options& options, const AskPerson& ask) {
  Choices choices;
  if (!options.installed.empty()) choices.agents = LUZIA_TRY(ask_agents(options.installed, ask));
  if (options.asks_deadline) {
    const auto chosen = LUZIA_TRY(ask_one("What happens when an agent asks and nobody answers?",
                                          {"it waits, however long that takes",
                                           "after 30 minutes its default answer counts; without one the job "
                                           "stops, and an approval is denied"},
                                          ask));
    choices.unanswered = chosen == 0 ? Unanswered::waits : Unanswered::gives_up;
  }
  if (options.asks_notified) LUZIA_TRY(ask_notified(options, ask, choices));
  return choices;
}

bool says_yes(const std::optional<std::string>& answer) {
  if (!answer) return false;
  const std::string word = lower_case(trimmed(*answer));
  return word.empty() || word == "y" || word == "yes";
}

}  // namespace luzia::init
