// logs: prints a job's output: all of it, the last lines, or live.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/base/try.h"
#include "engine/event/event.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/output_stream.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

constexpr Option kLogsOptions[] = {
    {"-f,--follow", ValueKind::flag, "", "follow the output until the attempt ends"},
    {"-n,--lines", ValueKind::number, "N",
     "show only the last N (matching) lines, then with -f what follows"},
    {"-g,--grep", ValueKind::text, "RE", "print only lines that match (RE2); exit code 1 if none does"},
    {"--attempt", ValueKind::number, "N", "print the output of this attempt"},
    {"--at-byte", ValueKind::number, "N",
     "print the line at this byte of the output, and the lines around it"},
    {"--raw", ValueKind::flag, "", "print the bytes unchanged: control characters, and agents' JSON lines"},
};

wire::TailT tail_from(const Arguments& args) {
  wire::TailT tail;
  tail.job = args.positionals().front();
  tail.attempt = static_cast<std::uint32_t>(std::min<std::uint64_t>(args.number("attempt").value_or(0), ~0U));
  tail.last_lines =
      args.has("lines")
          ? static_cast<std::int64_t>(std::min<std::uint64_t>(*args.number("lines"), 1ULL << 40))
          : -1;
  tail.live = args.has("follow");
  return tail;
}

/// Resolves the job to its full id and the attempt to its number, because after a restart of the daemon @last
/// and the current attempt may be others. Following a queued job means following its next attempt.
struct Settled {
  bool to_come = false;  // the attempt has yet to begin
  bool begun = false;    // it has begun, and its files are its own
  std::string agent;
};
Result<Settled> settle(Invocation& invocation, Client& client, wire::TailT& tail) {
  const auto page = LUZIA_TRY(ask_job(invocation, client, tail.job));
  const auto rows = page.as<view::Job>();
  if (rows.empty()) return fail(ErrorKind::not_found, "no_such_job", "no job '" + tail.job + "'");
  const view::Job& job = *rows.front();
  tail.job = job.id()->str();
  const std::string agent = job.agent() == nullptr ? std::string() : job.agent()->str();
  // Without --follow the daemon picks the newest attempt with output.
  if (tail.attempt != 0 || !tail.live) return Settled{false, true, agent};
  const bool waits_its_turn =
      job.state() == schema::JobState::queued || job.state() == schema::JobState::parked;
  tail.attempt = waits_its_turn ? job.attempts() + 1 : job.attempt();
  return Settled{waits_its_turn, !waits_its_turn && job.state() != schema::JobState::starting, agent};
}

/// The range of bytes of output.log that was received.
struct Streamed {
  std::uint64_t from = 0, to = 0;
};

/// Streams output until the last piece. If the daemon goes away, continues with the next one at the same
/// byte.
Result<Streamed> stream(Invocation& invocation, Client& client, wire::TailT tail, OutputStream& output) {
  Streamed streamed;
  bool any = false;
  auto sent = client.send(request_of(tail));
  while (sent) {
    const auto frame = client.next();
    if (!frame && frame.error().code == "connection_lost") {
      auto again = LUZIA_TRY(invocation.connect());
      client = std::move(again);
      sent = client.send(request_of(tail));
      continue;
    }
    if (!frame) return tl::unexpected(frame.error());
    const auto* piece = (*frame)->reply_as_Output();
    if (piece == nullptr) continue;
    if (const std::string_view note = text(piece->note()); !note.empty()) {
      output.begin_anew();
      std::fflush(stdout);
      invocation.say(note);
    }
    if (!std::exchange(any, true)) streamed.from = streamed.to = piece->offset();
    if (piece->data() != nullptr && piece->data()->size() > 0) {
      output.add(piece->offset(), as_text({piece->data()->data(), piece->data()->size()}));
      tail.offset = streamed.to = piece->offset() + piece->data()->size();
      tail.last_lines = -1;
      if (tail.live) std::fflush(stdout);
    }
    if (piece->last()) return streamed;
    if (std::ferror(stdout) != 0) {
      return fail(ErrorKind::trouble, "unwritable", "writing the output: cannot write to standard output");
    }
  }
  return tl::unexpected(sent.error());
}

/// Where the requested last lines begin.
struct Beginning {
  std::uint64_t offset = 0;
  bool within_line = false;
  bool rest = false;              // also show the end of that line
  std::uint64_t passed_over = 0;  // number of lines to skip from there
  bool incomplete = false;        // fewer lines than requested in the searched part
};

constexpr std::uint64_t kMostLookedThrough = 64 << 20;

/// Searches backward from the end until it has found as many shown lines as `tail` asks for. Lines are
/// counted as shown, because a line of the file can become none or many. `counting` makes a stream that
/// prints nothing.
template <class Counting>
Result<Beginning> find_beginning(Invocation& invocation, Client& client, wire::TailT tail,
                                 Counting counting) {
  constexpr std::uint64_t kLeastLookedThrough = 256 << 10;
  const auto wanted = static_cast<std::uint64_t>(tail.last_lines);
  const bool goes_on = std::exchange(tail.live, false);
  Beginning beginning;
  while (true) {
    auto counted = LUZIA_TRY(counting());
    if (beginning.within_line) counted.begin_within_line();
    const auto streamed = LUZIA_TRY(stream(invocation, client, tail, counted));
    if (!goes_on) counted.finish();
    beginning.offset = streamed.from;
    const std::uint64_t looked_through = streamed.to - streamed.from;
    const bool far = looked_through >= kMostLookedThrough;
    if (counted.lines() >= wanted || beginning.offset == 0 || far) {
      beginning.passed_over = counted.lines() - std::min(counted.lines(), wanted);
      beginning.incomplete = beginning.offset > 0 && counted.lines() < wanted;
      beginning.rest = far && beginning.offset > 0 && (beginning.incomplete || !beginning.within_line);
      return beginning;
    }
    const std::uint64_t next = std::clamp(4 * looked_through, kLeastLookedThrough, kMostLookedThrough);
    tail.offset = streamed.to - std::min(streamed.to, next);
    tail.last_lines = -1;
    beginning.within_line = tail.offset > 0;
  }
}

/// Makes `tail` and `output` begin at the requested last lines.
template <class Counting>
Status begin_at_last_lines(Invocation& invocation, Client& client, wire::TailT& tail, OutputStream& output,
                           Counting counting) {
  const auto beginning = LUZIA_TRY(find_beginning(invocation, client, tail, counting));
  if (beginning.incomplete) {
    invocation.say("fewer lines than asked for: only the last " + std::to_string(kMostLookedThrough >> 20) +
                   " MiB of the output were searched");
  }
  if (beginning.rest) {
    output.begin_with_rest();
  } else if (beginning.within_line) {
    output.begin_within_line();
  }
  output.pass_over(beginning.passed_over);
  tail.offset = beginning.offset;
  tail.last_lines = -1;
  return {};
}

/// The first (`last`: the last) `most` lines of a text.
std::string_view some_lines(std::string_view text, std::size_t most, bool last) {
  std::size_t at = last ? text.size() : 0;
  for (std::size_t i = 0; i < most && at != std::string_view::npos; ++i) {
    if (last) {
      const std::size_t feed = at < 2 ? std::string_view::npos : text.rfind('\n', at - 2);
      at = feed == std::string_view::npos ? 0 : feed + 1;
    } else {
      const std::size_t feed = text.find('\n', at);
      at = feed == std::string_view::npos ? feed : feed + 1;
    }
  }
  return last ? text.substr(at) : text.substr(0, at);
}

/// What a stream that `make` makes shows of these bytes.
template <class Make>
Result<std::string> shown_of(Make make, std::uint64_t offset, std::string_view bytes, bool within_line) {
  std::string shown;
  auto output = LUZIA_TRY(make([&shown](std::string_view text) { shown += text; }));
  if (within_line) output.begin_within_line();
  output.add(offset, bytes);
  output.finish();
  return shown;
}

/// Prints the line at `byte` with the lines around it, as far as these are near.
template <class Make>
Result<int> print_around(Invocation& invocation, Client& client, wire::TailT tail, std::uint64_t byte,
                         Make make) {
  constexpr std::uint64_t kNear = 64 << 10;
  constexpr std::size_t kLinesAround = 5;
  tail.last_lines = -1;
  tail.live = false;
  tail.offset = byte - std::min(byte, kNear);
  tail.until = byte + kNear;
  OutputOptions as_it_is;
  as_it_is.raw = true;
  std::string bytes;
  auto all = LUZIA_TRY(OutputStream::make(as_it_is, [&bytes](std::string_view piece) { bytes += piece; }));
  const auto streamed = LUZIA_TRY(stream(invocation, client, tail, all));
  if (byte < streamed.from || byte >= streamed.to) {
    return fail(ErrorKind::usage, "bad_value",
                "--at-byte: the output has only " + std::to_string(streamed.to) + " bytes",
                "luzia logs " + tail.job + " prints it");
  }
  const auto place = static_cast<std::size_t>(byte - streamed.from);
  const std::size_t feed = place == 0 ? std::string::npos : bytes.rfind('\n', place - 1);
  const std::size_t begin = feed == std::string::npos ? 0 : feed + 1;
  const std::string_view text = bytes;
  const bool cut = streamed.from > 0;
  const std::string before = LUZIA_TRY(shown_of(make, streamed.from, text.substr(0, begin), cut));
  const std::string rest = LUZIA_TRY(shown_of(make, streamed.from + begin, text.substr(begin), false));
  print(some_lines(before, kLinesAround, true));
  print(some_lines(rest, kLinesAround + 1, false));
  return 0;
}

Result<int> print_logs(Invocation& invocation) {
  const Arguments& args = invocation.args();
  OutputOptions options;
  options.raw = args.has("raw");
  options.json = invocation.json();
  options.unicode = invocation.terminal().unicode;
  options.pattern = args.text("grep");
  options.ends = args.has("lines") && options.pattern.empty();
  auto output = LUZIA_TRY(OutputStream::make(options, options.raw ? print_raw : print));
  auto client = LUZIA_TRY(invocation.connect());
  if (args.has("attempt") && *args.number("attempt") == 0) {
    return fail(ErrorKind::usage, "bad_value", "--attempt: attempts are numbered from 1");
  }
  wire::TailT tail = tail_from(args);
  const auto settled = LUZIA_TRY(settle(invocation, client, tail));
  // Output of shell commands is never converted, even if it looks like an agent's JSON.
  const bool readable = !options.raw && !options.json && settled.agent != "shell";
  if (readable) output.make_readable();
  if (const auto byte = args.number("at-byte")) {
    return print_around(invocation, client, tail, *byte, [&](std::function<void(std::string_view)> write) {
      auto made = OutputStream::make(options, std::move(write));
      if (made && readable) made->make_readable();
      return made;
    });
  }
  const bool as_it_is = options.raw && !options.json && options.pattern.empty();
  if (tail.last_lines > 0 && settled.begun && !as_it_is) {
    const auto counting = [&] {
      auto counted = OutputStream::make(options, [](std::string_view) {});
      if (counted && readable) counted->make_readable();
      return counted;
    };
    LUZIA_TRY(begin_at_last_lines(invocation, client, tail, output, counting));
  }
  const auto streamed = stream(invocation, client, std::move(tail), output);
  // The job may have been cancelled before its next attempt.
  const bool never_came = !streamed && settled.to_come && streamed.error().code == "no_such_attempt";
  if (!streamed && !never_came) {
    output.finish();
    return tl::unexpected(streamed.error());
  }
  output.finish();
  return args.has("grep") && !output.matched() ? 1 : 0;
}

Result<int> run_logs(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return print_logs(invocation); });
}

}  // namespace

const Command kLogsCommand = {
    "logs",
    "Look",
    "[JOB] [-f] [-n N] [--grep RE] [--attempt N] [--at-byte N] [--raw]",
    "print the output of a job",
    "Leaves out colors, progress marks and other terminal sequences, and shows other control characters as "
    "text. Of a line that a progress bar overwrites only the last state is shown. JSON lines of agents are "
    "made readable: what the agent says, > for tools that it calls, ! for what fails, results shortened; "
    "--grep searches this text. --raw prints the bytes unchanged.",
    "luzia logs @last\n"
    "luzia logs 0kx8 -f -n 20\n"
    "luzia logs 0kx8 --grep 'error|warning'\n"
    "luzia logs 0kx8 --at-byte 1048576",
    kLogsOptions,
    {0, 1, Completes::job},
    run_logs,
    kNeedsStore,
    kOneJob,
    {},
    kLastJob};

}  // namespace luzia
