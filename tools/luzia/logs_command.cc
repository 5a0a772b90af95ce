// logs: a job's output, from the start, the end, or as it comes.
#include <cstdio>

#include "engine/base/ids.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/output_stream.h"

namespace luzia {
namespace {

constexpr Option kOptions[] = {
    {"-f,--follow", ValueKind::flag, "", "go on until the attempt has ended"},
    {"-n,--lines", ValueKind::number, "N", "only the last N lines, then what follows"},
    {"-g,--grep", ValueKind::text, "RE", "only lines that match (RE2); exit code 1 when none does"},
    {"--attempt", ValueKind::number, "N", "of an earlier attempt"},
    {"--raw", ValueKind::flag, "", "the bytes as they are: control characters, and the JSON lines of agents"},
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

/// Names the job in full and the attempt by its number: after a restart of the daemon @last may be another
/// job, and the present attempt another attempt. To follow a job that waits for its turn is to follow its
/// next attempt.
struct Settled {
  bool to_come = false;  // the attempt has yet to begin
  std::string agent;
};
Result<Settled> settle(Invocation& invocation, Client& client, wire::TailT& tail) {
  const auto page = ask_job(invocation, client, tail.job);
  if (!page) {
    return tl::unexpected(page.error());
  }
  const auto rows = page->as<view::Job>();
  if (rows.empty()) return fail(ErrorKind::not_found, "no_such_job", "no job '" + tail.job + "'");
  const view::Job& job = *rows.front();
  tail.job = job.id()->str();
  const std::string agent = job.agent() == nullptr ? std::string() : job.agent()->str();
  // Without following it is the newest attempt that has printed something.
  if (tail.attempt != 0 || !tail.live) {
    return Settled{false, agent};
  }
  const bool waits_its_turn =
      job.state() == schema::JobState::queued || job.state() == schema::JobState::parked;
  tail.attempt = waits_its_turn ? job.attempts() + 1 : job.attempt();
  return Settled{waits_its_turn, agent};
}

/// Until the last piece; goes on with the next daemon where this one left off.
Status stream(Invocation& invocation, Client& client, wire::TailT tail, OutputStream& output) {
  auto sent = client.send(request_of(tail));
  while (sent) {
    const auto frame = client.receive();
    if (!frame && frame.error().code == "connection_lost") {
      auto again = invocation.connect();
      if (!again) {
        return tl::unexpected(again.error());
      }
      client = std::move(*again);
      sent = client.send(request_of(tail));
      continue;
    }
    if (!frame) {
      return tl::unexpected(frame.error());
    }
    if (*frame == nullptr) {
      continue;
    }
    if (const auto* refused = (*frame)->reply_as_Refused()) {
      return tl::unexpected(error_from(*refused));
    }
    const auto* piece = (*frame)->reply_as_Output();
    if (piece == nullptr) {
      continue;
    }
    if (piece->data() != nullptr && piece->data()->size() > 0) {
      output.add(piece->offset(), as_text({piece->data()->data(), piece->data()->size()}));
      tail.offset = piece->offset() + piece->data()->size();
      tail.last_lines = -1;
      if (tail.live) {
        std::fflush(stdout);
      }
    }
    if (piece->last()) {
      return {};
    }
    if (std::ferror(stdout) != 0) {
      return fail(ErrorKind::trouble, "unwritable", "writing the output: standard output takes no more");
    }
  }
  return tl::unexpected(sent.error());
}

Result<int> run(Invocation& invocation) {
  const Arguments& args = invocation.args();
  OutputOptions options;
  options.raw = args.has("raw");
  options.json = invocation.json();
  options.unicode = invocation.terminal().unicode;
  options.pattern = args.text("grep");
  auto output = OutputStream::make(options, print);
  if (!output) {
    return tl::unexpected(output.error());
  }
  auto client = invocation.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  if (args.has("attempt") && *args.number("attempt") == 0) {
    return fail(ErrorKind::usage, "bad_value", "--attempt: attempts are counted from 1");
  }
  wire::TailT tail = tail_from(args);
  const auto settled = settle(invocation, *client, tail);
  if (!settled) {
    return tl::unexpected(settled.error());
  }
  // What a command of the shell prints is its own, whatever it looks like.
  if (!options.raw && !options.json && settled->agent != "shell") {
    output->make_readable();
  }
  const Status streamed = stream(invocation, *client, std::move(tail), *output);
  // The job may have been cancelled since it was looked at.
  const bool never_came = !streamed && settled->to_come && streamed.error().code == "no_such_attempt";
  if (!streamed && !never_came) {
    output->finish();
    return tl::unexpected(streamed.error());
  }
  output->finish();
  return args.has("grep") && !output->matched() ? 1 : 0;
}

}  // namespace

const Command kLogsCommand = {
    "logs",
    "Look",
    "JOB [-f] [-n N] [--grep RE] [--attempt N] [--raw]",
    "the output of a job",
    "Colours, progress marks and other sequences for terminals are left out, other control characters are "
    "shown, not obeyed; of a line that a progress bar overwrites only its last state. JSON lines of agents "
    "are "
    "told as people read them: what the agent says, > the tools that it calls, ! what fails, results "
    "shortened; "
    "--grep looks in that. --raw prints the bytes as they are.",
    "luzia logs @last\n"
    "luzia logs 0kx8 -f -n 20\n"
    "luzia logs 0kx8 --grep 'error|warning'",
    kOptions,
    1,
    1,
    Completes::job,
    run};

}  // namespace luzia
