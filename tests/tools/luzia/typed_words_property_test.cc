// Random words to each real command: the quick way to read options agrees with the parser wherever it accepts
// them, and each way to write an option means the same.
#include <gmock/gmock.h>

#include <random>

#include "tools/cli/typed_words.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr int kLinesOfACommand = 400;

class RandomWords {
 public:
  RandomWords(const Command& command, std::uint32_t seed) : random_(seed) {
    for (const auto& options : {command.options, kLuzia.common}) {
      for (const Option& option : options) options_.push_back(&option);
    }
  }

  /// A command line in which anything may stand.
  std::vector<std::string> line() {
    std::vector<std::string> words;
    for (std::size_t left = below(7); left > 0; --left) add_any(words);
    return words;
  }

  /// The same line, each option written in one of its ways: a pair of those.
  std::pair<std::vector<std::string>, std::vector<std::string>> two_ways() {
    std::vector<std::string> one, other;
    for (std::size_t left = 1 + below(5); left > 0; --left) {
      if (below(3) == 0) {
        one.push_back(other.emplace_back(word()));
        continue;
      }
      const Option& option = *options_[below(options_.size())];
      const std::string typed = option.kind == ValueKind::flag ? std::string() : value();
      add_option(one, option, typed);
      add_option(other, option, typed);
    }
    return {one, other};
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  std::string one_of(const std::vector<const char*>& all) { return all[below(all.size())]; }
  std::string word() {
    return one_of({"web", "", "-", "- do this", "++", "a=b", "[x,y]", "{}", "5", "zwei Wörter", "%%"});
  }
  std::string value() {
    return one_of({"a", "5", "x=y", "=", "[x,y]", "[]", "{}", "%%", "\"q\"", "'", "-", "- x", "ü,ö", "true"});
  }

  void add_option(std::vector<std::string>& words, const Option& option, const std::string& typed) {
    const std::string name = "--" + std::string(long_name(option)), shorter(short_name(option));
    const bool is_short = !shorter.empty() && below(2) == 0, is_apart = below(2) == 0;
    if (option.kind == ValueKind::flag) {
      words.push_back(is_short ? shorter : name);
    } else if (is_apart) {
      words.insert(words.end(), {is_short ? shorter : name, typed});
    } else {
      words.push_back((is_short ? shorter : name + "=") + typed);
    }
  }

  void add_any(std::vector<std::string>& words) {
    const Option& option = *options_[below(options_.size())];
    const std::string name = "--" + std::string(long_name(option));
    switch (below(10)) {
      case 0:
        return words.push_back(word());
      case 1:
        return words.push_back(name);
      case 2:
        return words.push_back(name + "=");
      case 3:
        return words.push_back(name + "=" + value());
      case 4:
        return words.push_back(name.substr(0, 2 + below(name.size() - 1)));
      case 5:
        return words.push_back(std::string(short_name(option)) + value());
      case 6:
        return words.push_back(
            one_of({"--none", "--none=1", "-", "---", "--=", "--=a", "-\t", "-!x", "-Z", "--\n"}));
      default:
        return add_option(words, option, value());
    }
  }

  std::mt19937 random_;
  std::vector<const Option*> options_;
};

template <class Check>
void for_each_command(std::span<const Command* const> commands, const Check& check) {
  for (const Command* command : commands) {
    check(*command);
    for (const Command& part : command->parts) check(part);
  }
}

std::string shown(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + word + "' ";
  return text;
}

TEST(TypedWordsProperty, WhatIsReadQuicklyIsWhatTheParserReads) {
  std::size_t quick = 0, others = 0;
  for_each_command(kLuzia.commands, [&](const Command& command) {
    RandomWords random(command, 7);
    for (int i = 0; i < kLinesOfACommand; ++i) {
      const auto words = random.line();
      const auto plain = plain_words(kLuzia, command, words);
      ++(plain ? quick : others);
      if (!plain) continue;
      const auto parsed = parsed_words(kLuzia, command, words);
      ASSERT_TRUE(parsed) << command.name << ": " << shown(words);
      ASSERT_EQ(plain->values, parsed->values) << command.name << ": " << shown(words);
      ASSERT_EQ(plain->others, parsed->others) << command.name << ": " << shown(words);
    }
  });
  EXPECT_GT(quick, 1'000u);
  EXPECT_GT(others, 1'000u);
}

TEST(TypedWordsProperty, EachWayToWriteAnOptionMeansTheSame) {
  for_each_command(kLuzia.commands, [&](const Command& command) {
    RandomWords random(command, 11);
    for (int i = 0; i < kLinesOfACommand; ++i) {
      const auto [words, others] = random.two_ways();
      const auto one = typed_words(kLuzia, command, words), other = typed_words(kLuzia, command, others);
      ASSERT_TRUE(one && other) << command.name << ": " << shown(words) << " and " << shown(others);
      ASSERT_EQ(one->values, other->values)
          << command.name << ": " << shown(words) << " and " << shown(others);
      ASSERT_EQ(one->others, other->others)
          << command.name << ": " << shown(words) << " and " << shown(others);
    }
  });
}

}  // namespace
}  // namespace luzia
