#include "adapters/config/inner_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "adapters/config/shell_line.h"

namespace luzia {
namespace {

/// A program whose arguments are a command. Letters of options that are in neither list are read both ways.
struct Wrapper {
  std::string_view name;
  std::string_view flags;   // letters of options without a value
  std::string_view values;  // letters of options with one
  int operands = 0;         // that may come before the command
};

constexpr std::array kWrappers = {Wrapper{"sudo", "ABbEeHiKklNnPSsVv", "CDghpRrTtUu"},
                                  Wrapper{"doas", "Lns", "aCu"},
                                  Wrapper{"pkexec", "", ""},
                                  Wrapper{"su", "flmpP", "gGsw", 1},
                                  Wrapper{"runuser", "flmpP", "gGsuw", 1},
                                  Wrapper{"env", "i0v", "uC"},
                                  Wrapper{"nice", "0123456789", "n"},
                                  Wrapper{"ionice", "t", "cn"},
                                  Wrapper{"chrt", "abdfimoprRv", "DPT", 1},
                                  Wrapper{"taskset", "acp", "", 1},
                                  Wrapper{"timeout", "v", "ks", 1},
                                  Wrapper{"stdbuf", "", "eio"},
                                  Wrapper{"setsid", "cfw", ""},
                                  Wrapper{"setpriv", "", ""},
                                  Wrapper{"unshare", "cCfimnprTuU", "GlRSw"},
                                  Wrapper{"nsenter", "", ""},
                                  Wrapper{"setarch", "", "", 1},
                                  Wrapper{"strace", "", ""},
                                  Wrapper{"script", "", ""},
                                  Wrapper{"systemd-run", "", ""},
                                  Wrapper{"parallel", "", ""},
                                  Wrapper{"trap", "", ""},
                                  Wrapper{"coproc", "", "", 1},
                                  Wrapper{"chroot", "", "", 1},
                                  Wrapper{"flock", "eFnosuxv", "Ew", 1},
                                  Wrapper{"nohup", "", ""},
                                  Wrapper{"time", "apqvV", "fo"},
                                  Wrapper{"watch", "bcegprtwx", "n"},
                                  Wrapper{"xargs", "0oprtx", "adEILnPs"},
                                  Wrapper{"exec", "cl", "a"},
                                  Wrapper{"command", "pvV", ""},
                                  Wrapper{"builtin", "", ""},
                                  Wrapper{"function", "", "", 1},
                                  Wrapper{"busybox", "", ""},
                                  Wrapper{"sh", "aefilmnprsuvx", "oO"},
                                  Wrapper{"ash", "aefilmnprsuvx", "oO"},
                                  Wrapper{"dash", "aefilmnprsuvx", "oO"},
                                  Wrapper{"bash", "aefilmnprsuvx", "oO"},
                                  Wrapper{"ksh", "aefilmnprsuvx", "oO"},
                                  Wrapper{"zsh", "aefilmnprsuvx", "oO"}};

constexpr std::array<std::string_view, 10> kKeywords = {"then",  "do",    "else", "elif", "if",
                                                        "while", "until", "!",    "{",    "eval"};

/// Long options without a value, of any wrapper.
constexpr std::array<std::string_view, 16> kLongFlags = {
    "--foreground",  "--preserve-status", "--verbose",    "--ignore-environment",
    "--null",        "--debug",           "--background", "--non-interactive",
    "--set-home",    "--login",           "--stdin",      "--reset-timestamp",
    "--keep-groups", "--preserve-env",    "--fork",       "--no-run-if-empty"};

constexpr std::size_t kMostTexts = 64, kMostLines = 64;
/// Bytes that one search may read and copy, where each word costs kWordCost more. It bounds the time that a
/// command made for this takes (10 ms); no command of a person comes near.
constexpr std::size_t kMostWork = 1024 * 1024, kWordCost = 16;

/// Where each word begins and ends, as a shell would read it. A quote that is never closed is no quote.
struct Word {
  std::size_t from, to;
};

std::vector<Word> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<Word> words;
  std::size_t at = line.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t from = at;
    while (at < line.size() && kBlanks.find(line[at]) == std::string_view::npos) {
      const char c = line[at];
      const std::size_t closes = c == '"' || c == '\'' ? line.find(c, at + 1) : std::string_view::npos;
      at = closes != std::string_view::npos ? closes + 1 : at + (c == '\\' ? 2 : 1);
    }
    at = std::min(at, line.size());
    words.push_back({from, at});
    at = line.find_first_not_of(kBlanks, at);
  }
  return words;
}

/// Also without the sign of $'...' and $"...".
std::string unquoted(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'", kAll = "\"'\\";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens =
        text[i] == '$' && i + 1 < text.size() && kQuotes.find(text[i + 1]) != std::string::npos;
    if (!opens && kAll.find(text[i]) == std::string::npos) out += text[i];
  }
  return out;
}

/// A whole line in one word, as of `bash -c` and `env -S`: without its outer quotes. Empty: the word is none.
std::string line_in(std::string_view word) {
  if (word.starts_with("$'") || word.starts_with("$\"")) word.remove_prefix(1);
  const bool quoted = word.size() > 1 && (word[0] == '"' || word[0] == '\'') && word.back() == word[0];
  std::string line = quoted ? std::string(word.substr(1, word.size() - 2)) : unquoted(word);
  return line.find(' ') == std::string::npos ? std::string() : line;
}

/// Without quotes, the program's folder and a redirection that follows its name at once.
std::string plain(std::string_view command) {
  const std::string text = with_single_blanks(unquoted(command));
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view program = base_name(std::string_view(text).substr(0, end));
  return std::string(program.substr(0, program.find_first_of("<>"))) + text.substr(end);
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  std::string_view name = word.substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  if (name.ends_with(']')) name = name.substr(0, name.find('['));
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "2>&1", "</dev/null", ">": the last is followed by its file.
bool is_redirection(std::string_view word) {
  const std::size_t sign = word.find_first_not_of("0123456789&");
  return sign != std::string_view::npos && (word[sign] == '<' || word[sign] == '>');
}

/// Words of a redirection: 2 if its file is a word of its own.
std::size_t redirection_size(std::string_view word) {
  return word.find_last_of("<>&|") + 1 == word.size() ? 2 : 1;
}

class Search {
 public:
  /// What all searches of one command share: the commands found, lines within a word that have commands of
  /// their own, and the work that is left.
  struct Shared {
    InnerCommands found;
    std::vector<std::string> lines;
    std::size_t work = kMostWork;
  };

  Search(std::string_view line, Shared& shared)
      : line_(line),
        whole_(with_single_blanks(line)),
        words_(words_of(line)),
        found_(shared.found),
        shared_(shared) {}

  void run() {
    begin(0);
    while (!starts_.empty() && found_.complete) {
      const std::size_t start = *starts_.begin();
      starts_.erase(starts_.begin());
      look_at(start);
    }
  }

 private:
  std::string_view word(std::size_t i) const {
    return line_.substr(words_[i].from, words_[i].to - words_[i].from);
  }

  /// A command may begin with the word.
  void begin(std::size_t i) {
    if (i < words_.size() && seen_.insert(i).second) starts_.insert(i);
  }

  /// Too much work ends the search.
  void spend(std::size_t bytes) {
    shared_.work -= std::min(bytes, shared_.work);
    if (shared_.work == 0) found_.complete = false;
  }

  void add(std::string_view command) {
    spend(command.size());
    std::string as_written = with_single_blanks(command), in_plain = plain(command);
    const bool differs = in_plain != as_written;
    if (as_written != whole_ && !as_written.empty()) found_.texts.push_back(std::move(as_written));
    if (differs && !in_plain.empty()) found_.texts.push_back(std::move(in_plain));
    if (found_.texts.size() > kMostTexts) found_.complete = false;
  }

  void add_line(std::string line) {
    spend(line.size());
    if (shared_.lines.size() == kMostLines) found_.complete = false;
    if (!line.empty() && found_.complete) shared_.lines.push_back(std::move(line));
  }

  void look_at(std::size_t i) {
    const std::string_view first = word(i);
    spend(kWordCost);
    if (is_assignment(first)) return begin(i + 1);
    if (is_redirection(first)) return begin(i + redirection_size(first));
    add(line_.substr(words_[i].from));
    add_line(line_in(first));
    const std::string name = plain(first);
    if (std::ranges::find(kKeywords, name) != kKeywords.end()) return begin(i + 1);
    const auto wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
    if (wrapper != kWrappers.end()) look_behind(*wrapper, i + 1);
  }

  /// Every word that may be the first of the wrapper's command.
  void look_behind(const Wrapper& wrapper, std::size_t i) {
    std::set<std::pair<std::size_t, int>> to_read = {{i, wrapper.operands}}, was_read;
    while (!to_read.empty() && found_.complete) {
      const auto [at, operands] = *to_read.begin();
      to_read.erase(to_read.begin());
      if (at >= words_.size() || !was_read.insert({at, operands}).second) continue;
      const std::string argument = unquoted(word(at));
      spend(kWordCost + argument.size());
      if (argument.size() > 1 && argument.starts_with('-')) {
        const Value value = value_of(wrapper, argument);
        if (value != Value::follows) to_read.insert({at + 1, operands});
        if (value != Value::none) to_read.insert({at + 2, operands});
      } else if (is_redirection(argument)) {
        to_read.insert({at + redirection_size(argument), operands});
      } else if (argument == "-" || is_assignment(argument)) {
        to_read.insert({at + 1, operands});
      } else {
        begin(at);
        if (operands > 0) to_read.insert({at + 1, operands - 1});
      }
    }
  }

  enum class Value { none, follows, unknown };

  /// Whether the next word is the option's value. A value within the word may be a line of its own (env -S).
  Value value_of(const Wrapper& wrapper, std::string_view option) {
    if (option == "--") return Value::none;
    if (option.starts_with("--")) {
      const std::size_t equals = option.find('=');
      if (equals != std::string_view::npos) add_line(std::string(option.substr(equals + 1)));
      const bool is_whole =
          equals != std::string_view::npos || std::ranges::find(kLongFlags, option) != kLongFlags.end();
      return is_whole ? Value::none : Value::unknown;
    }
    for (std::size_t i = 1; i < option.size() && found_.complete; ++i) {
      const bool is_last = i + 1 == option.size();
      if (wrapper.flags.find(option[i]) != std::string_view::npos) continue;
      if (wrapper.values.find(option[i]) != std::string_view::npos)
        return is_last ? Value::follows : Value::none;
      if (is_last) return Value::unknown;
      add_line(std::string(option.substr(i + 1)));
    }
    return Value::none;
  }

  std::string_view line_;
  std::string whole_;
  std::vector<Word> words_;
  std::set<std::size_t> starts_, seen_;
  InnerCommands& found_;
  Shared& shared_;
};

}  // namespace

InnerCommands inner_commands(std::string_view part) {
  Search::Shared shared;
  Search(part, shared).run();
  for (std::size_t i = 0; i < shared.lines.size() && shared.found.complete; ++i) {
    const std::string line = shared.lines[i];
    shared.found.texts.push_back(with_single_blanks(line));
    Search(line, shared).run();
  }
  return std::move(shared.found);
}

}  // namespace luzia
