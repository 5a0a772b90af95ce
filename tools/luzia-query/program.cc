#include "tools/luzia-query/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "adapters/config/config.h"
#include "adapters/config/nearest.h"
#include "adapters/socket/client.h"
#include "adapters/socket/socket_path.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/unreadable.h"
#include "projections/rows/wrapped.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/completion.h"
#include "tools/luzia-query/known_projects.h"
#include "tools/luzia-query/man_page.h"

namespace luzia {
namespace {

std::string variable(const Surroundings& surroundings, const char* name) {
  const char* value = surroundings.environment(name);
  return value != nullptr ? value : "";
}

/// As an option: what stands behind "--" is none.
bool has_word(const Surroundings& surroundings, std::initializer_list<std::string_view> words) {
  const auto& arguments = surroundings.arguments;
  return std::any_of(arguments.begin(), std::ranges::find(arguments, "--"), [&](const std::string& argument) {
    return std::ranges::find(words, argument) != words.end();
  });
}

/// Standard error may take nothing, of which nobody can be told.
void say(const Surroundings& surroundings, const std::string& line) {
  fputs((line + "\n").c_str(), surroundings.err);
}

int print_error(const Surroundings& surroundings, const Error& error) {
  fflush(surroundings.out);
  if (has_word(surroundings, {"--json"})) {
    const std::string json = error_json(error);
    say(surroundings, surroundings.err_stream.terminal ? spell_out(json, false) : json);
    return static_cast<int>(error.kind);
  }
  const HarmlessOptions lines{.keep_newlines = true, .unicode = false};
  say(surroundings, "luzia-query: " + make_harmless(error.message, lines));
  if (!error.hint.empty()) say(surroundings, "  hint: " + make_harmless(error.hint, lines));
  return static_cast<int>(error.kind);
}

/// All that was asked for: to standard output, and done.
int print_text(const Surroundings& surroundings, std::string_view text) {
  Console console(surroundings.out, surroundings.err, {}, /*progress=*/false);
  Status written = console.write(text);
  if (written) written = console.finish();
  return written ? 0 : print_error(surroundings, written.error());
}

std::string overview() {
  std::string text =
      "luzia-query: the read side of luzia: what is, what was, and whether it is true.\n"
      "\n"
      "usage: luzia-query COMMAND [OPTIONS]\n"
      "\n";
  for (const Command& command : commands()) {
    std::string left = fmt::format("{} {}", command.name, command.grammar.argument);
    constexpr std::size_t kSummaryColumn = 15;
    text += fmt::format("  {:<12} {}\n", left, wrap_hanging(command.summary, kHelpWidth, kSummaryColumn));
  }
  constexpr std::string_view kNotes =
      "Every read but diff, play and verify takes --at POSITION|TIME: the answer as it was then. "
      "A daemon that runs on the store is asked; else the store is read (--offline: in any case), as of its "
      "last event: durations of what was at work then end there.\n"
      "Exit codes: 0 done, 1 what verify looked at is faulty, 2 bad usage, 3 no such job, 4 refused, "
      "5 trouble with daemon or store.\n"
      "\n"
      "luzia-query COMMAND --help tells a command's options; luzia-query --version the version.";
  return text + "\n" + wrap_hanging(kNotes, kHelpWidth, 0) + "\n";
}

std::string help_of(const Command& command) {
  std::string examples;
  for (std::string_view rest = command.examples; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    examples.append("  ").append(rest.substr(0, end)).push_back('\n');
    rest.remove_prefix(end + 1);
  }
  const std::string title =
      wrap_hanging(fmt::format("luzia-query {}: {}", command.name, command.summary), kHelpWidth, 0);
  return fmt::format("{2}\n\nusage: luzia-query {0}{3}{1} [OPTIONS]\n\n{4}\nexamples:\n{5}", command.name,
                     command.grammar.argument, title, command.grammar.argument.empty() ? "" : " ",
                     describe_options(command.grammar), examples);
}

Result<const Command*> command_of(const CommandLine& line) {
  if (const Command* command = find_command(line.command)) return command;
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const std::string near = nearest_name(line.command, names);
  return fail(ErrorKind::usage, "bad_usage",
              line.command.empty() ? "a command is missing" : "no command '" + line.command + "'",
              (near.empty() ? "" : "did you mean " + near + "? ") + "luzia-query --help");
}

/// Relative names are of the folder that we are in.
std::string absolute(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// The store whose daemon listens there, or empty: the socket of a store with a long path lies elsewhere.
std::string store_of_socket(const std::string& socket) {
  const std::filesystem::path path(absolute(socket));
  return path.filename() == "socket" ? path.parent_path().string() : std::string();
}

struct Setting {
  SourceOptions place;
  bool use_colours = true, use_emojis = true;
};

/// A mistake in the configuration keeps nobody from reading where the store is known without it: by its name,
/// or by the daemon that listens where one without configuration would. Only where the mistake cannot be in
/// where that is.
Result<Setting> in_spite_of(const Error& mistake, const Surroundings& surroundings, const Options& options,
                            Setting setting) {
  const bool chosen = !options.config_file.empty() || !variable(surroundings, "LUZIA_CONFIG").empty();
  const bool placed = !setting.place.store.empty() || !setting.place.socket.empty();
  if (!mistake.code.starts_with("config_") || (chosen && !placed)) return tl::unexpected(mistake);
  if (!placed) {
    setting.place.store = absolute(default_store({}));
    const auto socket = socket_path(setting.place.store);
    if (options.offline || !socket || !Client::connect(*socket, setting.place.silence))
      return tl::unexpected(mistake);
  }
  say(surroundings, "luzia-query: the configuration is at fault: " +
                        make_harmless(mistake.message, {.keep_newlines = true, .unicode = false}));
  return setting;
}

/// The configuration is read only if something in it is needed: it costs a third of a millisecond.
Result<Setting> setting_of(const Surroundings& surroundings, const Options& options) {
  Setting setting;
  const auto patience = patience_of(options.patience, surroundings.environment("LUZIA_PATIENCE"));
  if (!patience) return tl::unexpected(patience.error());
  setting.place.silence = {*patience, [&surroundings](std::string_view line) {
                             say(surroundings, "luzia-query: " + make_harmless(line));
                           }};
  setting.place.offline = options.offline;
  setting.place.now = surroundings.now;
  setting.place.flows_ended_since = flows_kept_since({}, surroundings.now);
  setting.place.store = absolute(options.store);
  if (setting.place.store.empty()) {
    setting.place.socket = variable(surroundings, "LUZIA_SOCKET");
    setting.place.store = setting.place.socket.empty() ? absolute(variable(surroundings, "LUZIA_STORE"))
                                                       : store_of_socket(setting.place.socket);
  }
  const bool placed = !setting.place.store.empty() || !setting.place.socket.empty();
  const bool shows = surroundings.out_stream.terminal && options.format == Format::table;
  if (placed && !shows && options.config_file.empty()) return setting;
  const auto config = load_config(options.config_file);
  if (!config) return in_spite_of(config.error(), surroundings, options, std::move(setting));
  setting.use_colours = config->display.use_colors;
  setting.use_emojis = config->display.use_emojis;
  setting.place.flows_ended_since = flows_kept_since(*config, surroundings.now);
  if (!placed) setting.place.store = absolute(default_store(*config));
  return setting;
}

TableStyle style_of(const Surroundings& surroundings, const Options& options, const Setting& setting) {
  ColourChoice colour = options.colour;
  if (colour == ColourChoice::automatic && !setting.use_colours) colour = ColourChoice::never;
  TableStyle style = style_for(colour, surroundings.environment, surroundings.out_stream);
  style.unicode = style.unicode && setting.use_emojis;
  return style;
}

Result<int> run_command(const Surroundings& surroundings, const Command& command, const Options& options) {
  const auto setting = setting_of(surroundings, options);
  if (!setting) return tl::unexpected(setting.error());
  const bool person = surroundings.err_stream.terminal && options.format != Format::json;
  const bool progress = person && variable(surroundings, "TERM") != "dumb";
  Console console(surroundings.out, surroundings.err, style_of(surroundings, options, *setting), progress,
                  surroundings.out_stream.terminal, person, options.format == Format::table);
  Session session(options, setting->place, console, surroundings.now);
  const Status known = check_projects(session);
  auto code = known ? command.run(session) : Result<int>(tl::unexpected(known.error()));
  const Status finished = console.finish();
  if (surroundings.ends_with_run) session.leave_open();
  if (code && !finished) return tl::unexpected(finished.error());
  // What could be read has been printed.
  if (code && session.unreadable_rows() > 0)
    return tl::unexpected(unreadable_rows(session.unreadable_rows()));
  return code;
}

/// Asked by the completion scripts: `__complete -- WORDS`. What cannot be told is not offered.
int complete(const Surroundings& surroundings) {
  std::vector<std::string> words(surroundings.arguments.begin() + 1, surroundings.arguments.end());
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  Options options;
  options.format = Format::json;
  const auto setting = setting_of(surroundings, options);
  return print_text(surroundings, completions(words, setting ? setting->place : SourceOptions{}));
}

}  // namespace

int run_program(const Surroundings& surroundings) {
  if (!surroundings.arguments.empty() && surroundings.arguments.front() == "__complete") {
    return complete(surroundings);
  }
  CommandLine line = split_command_line(surroundings.arguments);
  const bool asks_help = has_word(surroundings, {"--help", "-h"}) || line.command == "help";
  if (line.command == "help") {
    if (has_word(surroundings, {"--man"})) return print_text(surroundings, man_page());
    line.command = line.words.empty() ? "" : line.words[0];
    if (!line.words.empty()) line.words.erase(line.words.begin());
  }
  if (line.command.empty() && asks_help) return print_text(surroundings, overview());
  if (line.command.empty() && has_word(surroundings, {"--version"})) {
    return print_text(surroundings, "luzia-query " LUZIA_VERSION "\n");
  }
  const auto named = command_of(line);
  if (!named) return print_error(surroundings, named.error());
  const auto command = narrowed(**named, line.words);
  if (!command) return print_error(surroundings, command.error());
  if (asks_help) return print_text(surroundings, help_of(**command));
  const auto options = parse_options((*command)->name, (*command)->grammar, line.words, surroundings.now);
  if (!options) return print_error(surroundings, options.error());
  const auto code = run_command(surroundings, **command, *options);
  return code ? *code : print_error(surroundings, code.error());
}

}  // namespace luzia
