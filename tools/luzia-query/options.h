// The command line, read. Plain values; one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "projections/query.h"
#include "tools/luzia-query/console.h"

namespace luzia {

enum class Format { table, json, csv };

/// A moment of the log: a position, a time, or (both 0) now.
struct Moment {
  Position position = 0;
  TimeUs time_us = 0;
  bool is_now() const { return position == 0 && time_us == 0; }
};

struct Options {
  std::string store, config_file;
  bool offline = false;
  std::string patience;  // as patience_of() takes it
  Format format = Format::table;
  ColourChoice colour = ColourChoice::automatic;
  bool help = false;

  Moment at;
  wire::FilterT filter;              // `ended` as --all and the other filters mean it
  std::optional<std::size_t> limit;  // unset: the command's; 0: all
  std::string cursor;
  Position after = 0;  // events: --since POSITION

  std::string name;  // JOB, DIR or what to export
  std::string out;   // --out FILE; empty: standard output
  bool cloud_events = false;
  std::string by;  // what statistics are grouped by; empty: no statistics
  bool plot = false;
  bool resume = false;           // go on with an export that was broken off
  Moment from, to;               // what --from and --to name
  double speed = 1;              // of a play: greater than 0
  TimeUs max_gap_us = 0;         // no longer is waited between two events of it; 0: nothing was said
  std::uint64_t timeout_ms = 0;  // 0: nothing was said
  bool rebuild = false;
  std::string projection, into;
};

/// Which options and arguments a command has beside the common ones.
struct Grammar {
  std::string_view argument = {};  // name of its one argument ("JOB"), or empty
  bool at = false;
  bool subjects = false;  // --project --agent
  bool jobs = false;      // --job --tag --state
  bool time = false;      // --since --until
  bool position = false;  // --since takes a position too
  bool sums = false;      // --project; what chooses jobs is read, for a refusal that says why, and not shown
  bool pages = false;     // --limit --cursor
  bool endless = false;   // --limit alone: all there is unless it is given
  bool recent = false;    // --recent
  bool all = false;       // --all
  bool csv = false;
  bool formats = false;                  // --format
  bool resume = false;                   // --resume
  bool out = false;                      // --out, of a file
  bool folder = false;                   // --out, of a folder
  bool plot = false;                     // --plot
  bool span = false;                     // --from --to
  bool pace = false;                     // --speed --max-gap
  bool timeout = false;                  // --timeout
  bool replay = false;                   // --rebuild --projection --into --since
  std::string_view by = {};              // --by: the choices, "pattern|project"
  std::string_view happened = "Queued";  // what --since and --until look at
};

/// Splits the command line into the command's name and the rest. The name is the first word that is neither
/// an option nor an option's value; empty when there is none.
struct CommandLine {
  std::string command;
  std::vector<std::string> words;  // the others, in order
};
CommandLine split_command_line(const std::vector<std::string>& arguments);

/// Reads what stands beside the command's name. `now` anchors relative times. Errors (usage): `bad_usage`,
/// `no_such_position` (--at 0).
Result<Options> parse_options(std::string_view command, const Grammar& grammar,
                              const std::vector<std::string>& words, TimeUs now);

/// The options of a command, a line each, for --help.
std::string describe_options(const Grammar& grammar);

/// The long names of the options ("--at") with their help, for completion.
std::vector<std::pair<std::string, std::string>> option_names(const Grammar& grammar);
/// Whether a word stands behind this one as its value.
bool takes_value(std::string_view option);

}  // namespace luzia
