#include "tools/cli/program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "engine/base/try.h"
#include "projections/rows/unreadable.h"
#include "tools/cli/console.h"
#include "tools/cli/help.h"
#include "tools/cli/invocation.h"
#include "tools/cli/shown_list.h"

namespace luzia {
namespace {

/// Whether the words before "--" contain the option.
bool has_option(const std::vector<std::string>& words, std::string_view option) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, option) != end;
}

tl::unexpected<Error> no_command(const Program& program, const std::string& word, bool lacks_value) {
  const std::string name(program.name);
  return fail(ErrorKind::usage, "bad_usage",
              lacks_value ? word + " needs a value" : "no command in: " + name + " " + word, name + " help");
}

Result<Chosen> choose(const Program& program, std::vector<std::string> words) {
  const std::size_t at = command_index(program, words);
  if (at >= words.size()) {
    const auto odd =
        std::ranges::find_if(words, [](const std::string& word) { return word != "--help" && word != "-h"; });
    if (words.empty() && program.otherwise == nullptr) {
      return fail(ErrorKind::usage, "bad_usage", "no command given", std::string(program.name) + " help");
    }
    if (at > words.size()) return no_command(program, words.back(), true);
    if (odd != words.end()) return no_command(program, *odd, false);
    return Chosen{find_command(program, "help"), {}};
  }
  const Command* command = find_command(program, words[at]);
  if (command == nullptr) return program.choose_other(std::move(words), at);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  return narrowed(program, {command, std::move(words)});
}

/// What was not found on the machine that was named may be elsewhere.
Error on_its_machine(const Invocation& invocation, Error error) {
  if (invocation.machine() == nullptr || invocation.elsewhere().empty()) return error;
  const std::string name = "machine " + invocation.machine()->shown() + ": ";
  if (error.kind == ErrorKind::not_found && !error.message.starts_with(name)) error.message.insert(0, name);
  return error;
}

Result<int> run_chosen(const Program& program, const Surroundings& surroundings, const Chosen& chosen) {
  auto arguments = LUZIA_TRY(Arguments::parse(program, *chosen.command, chosen.words,
                                              surroundings.now != 0 ? surroundings.now : wall_clock()));
  const bool asks_help = arguments.has("help");
  LUZIA_TRY(arguments.name_rows(
      *chosen.command, [&surroundings](std::string_view word) { return job_named_by(word, surroundings); }));
  Invocation invocation(program, *chosen.command, std::move(arguments), surroundings);
  if (invocation.args().has("on") && !asks_help) {
    LUZIA_TRY(invocation.may_leave());
  }
  // Another machine does not know the job that this process may belong to.
  if (invocation.is_elsewhere()) {
    for (const char* name : {"LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_CREDENTIAL"}) ::unsetenv(name);
  }
  if (asks_help) {
    const Status written =
        invocation.console().write(help_on(program, *chosen.command, invocation.args().positionals()));
    return written ? Result<int>(0) : tl::unexpected(written.error());
  }
  const auto code = chosen.command->run(invocation);
  if (!code) return tl::unexpected(on_its_machine(invocation, code.error()));
  if (*code == 0 && invocation.unreadable() > 0) {
    return tl::unexpected(unreadable_rows(invocation.unreadable()));
  }
  return code;
}

}  // namespace

int run_program(const Program& program, const Surroundings& surroundings) {
  std::vector<std::string> words = surroundings.arguments;
  if (program.rewritten != nullptr) words = program.rewritten(std::move(words));
  const bool as_json = has_option(words, "--json");
  const auto finish = [&](const Result<int>& code) {
    const auto failed = [&](const Error& error) {
      return print_error(program.name, error, as_json, surroundings.out, surroundings.err,
                         surroundings.err_stream.terminal);
    };
    // A full disk or a closed pipe must not look like success.
    if (code && (std::fflush(surroundings.out) != 0 || std::ferror(surroundings.out) != 0)) {
      return failed(output_failed(errno));
    }
    return code ? *code : failed(code.error());
  };
  if (command_index(program, words) >= words.size() && has_option(words, "--version")) {
    const std::string version = std::string(program.name) + " " LUZIA_VERSION "\n";
    std::fwrite(version.data(), 1, version.size(), surroundings.out);
    return finish(0);
  }
  const auto chosen = choose(program, std::move(words));
  return finish(chosen ? run_chosen(program, surroundings, *chosen) : tl::unexpected(chosen.error()));
}

}  // namespace luzia
