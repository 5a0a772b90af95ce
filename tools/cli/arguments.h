// The arguments of an invocation, parsed by one command's table. parse() checks all values, so accessors
// cannot fail. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "job.fb.h"
#include "tools/cli/command.h"

namespace luzia {

/// A moment of the log: a position, a time, or now (both 0).
struct Moment {
  std::uint64_t position = 0;
  TimeUs time_us = 0;
  bool is_now() const { return position == 0 && time_us == 0; }
};

class Arguments {
 public:
  /// `now` is the base of relative times. Errors: `bad_usage`, `bad_value` (usage) name the mistake and the
  /// nearest valid option.
  static Result<Arguments> parse(const Program& program, const Command& command,
                                 const std::vector<std::string>& words, TimeUs now);

  bool has(std::string_view option) const;
  /// Empty when not given.
  std::string text(std::string_view option) const;
  std::vector<std::string> texts(std::string_view option) const;
  /// As texts(), each value split at its commas.
  std::vector<std::string> list(std::string_view option) const;
  std::optional<std::uint64_t> number(std::string_view option) const;
  std::optional<double> real(std::string_view option) const;
  std::optional<double> factor(std::string_view option) const;
  std::optional<std::uint64_t> bytes(std::string_view option) const;
  std::optional<std::uint32_t> percent(std::string_view option) const;
  std::optional<std::uint64_t> duration_ms(std::string_view option) const;
  std::optional<Moment> place(std::string_view option) const;
  std::optional<TimeUs> moment(std::string_view option) const;
  std::optional<TimeUs> moment_to_come(std::string_view option) const;
  std::optional<std::uint8_t> priority(std::string_view option) const;
  /// Without proved and refuted.
  std::vector<schema::JobState> states(std::string_view option) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

  /// Puts a job's id in the place of each word such as %3 where the command names a job: in the arguments
  /// that its synopsis calls JOB or FLOW, and in options whose values are jobs. `job_of` finds it, or says
  /// why not.
  Status name_rows(const Command& command,
                   const std::function<Result<std::string>(std::string_view word)>& job_of);

 private:
  Status check(const Program& program, const Command& command) const;
  Status check_value(const Option& option, const std::string& value) const;

  /// The option as it was typed: "-n" or "--lines".
  std::string typed_name(const Option& option) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // by long name
  std::map<std::string, std::string, std::less<>> short_names_;          // by long name, if typed as "-n"
  std::vector<std::string> positionals_;
  TimeUs now_ = 0;
};

/// 0..9, high = 8, normal = 5, low = 2.
std::optional<std::uint8_t> parse_priority(std::string_view word);

/// The arguments of `usage` ("JOB [QUESTION] VALUE") that are missing when `given` are there, for messages.
std::string missing_words(std::string_view usage, std::size_t given);

/// The pieces between separators, without empty ones.
std::vector<std::string> split_list(std::string_view text, char separator = ',');

}  // namespace luzia
