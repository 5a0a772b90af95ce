#include "tools/luzia-web/output.h"

#include <sys/stat.h>

#include <algorithm>

#include "adapters/job_dir/owned_directory.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/luzia-web/readings.h"
#include "tools/read/commands.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

constexpr std::uint64_t kMostOutput = 1 << 20, kUsualOutput = 64 << 10;

/// The job's row at that moment. `no_such_job` (not_found).
Result<view::JobT> job_at(const DaemonDoor& door, const std::string& device, const std::string& job,
                          const Moment& at) {
  const auto source = LUZIA_TRY(door.source_as(device));
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {job};
  query.limit = 1;
  query.at_position = at.position;
  query.at_time_us = at.time_us;
  const RowPage page = LUZIA_TRY(source->query(query));
  const auto rows = LUZIA_TRY(rows_of<view::Job>(page));
  if (rows.empty())
    return fail(ErrorKind::not_found, "no_such_job",
                "there is no job " + job + (at.is_now() ? "" : " at that moment"), "GET /v1/jobs lists them");
  view::JobT row;
  rows.front()->UnPackTo(&row);
  return row;
}

/// Whoever owns the directory may have put anything there: only a file of the same owner is taken.
std::optional<std::string> prompt_in(const std::string& job_dir) {
  constexpr std::size_t kMostPrompt = 4 << 20;
  struct stat status {};
  const auto place =
      job_dir.starts_with('/') ? open_job_directory(job_dir) : Result<Descriptor>(Descriptor());
  if (!place || ::fstat(place->get(), &status) != 0) return std::nullopt;
  const auto directory = OwnedDirectory::open(job_dir, status.st_uid, status.st_gid);
  return directory ? directory->read("prompt.txt", kMostPrompt) : std::nullopt;
}

struct Piece {
  std::uint64_t offset = 0;
  std::string bytes;
};

/// At most `limit` bytes from `offset` on.
Result<Piece> read_range(const DaemonDoor& door, const std::string& device, const std::string& job,
                         std::uint32_t attempt, std::uint64_t offset, std::uint64_t limit) {
  Piece piece{offset, {}};
  if (limit == 0) return piece;
  auto client = LUZIA_TRY(door.take(device));
  wire::TailT tail;
  tail.job = job;
  tail.attempt = attempt;
  tail.offset = offset;
  tail.until = offset + limit;
  const auto id = LUZIA_TRY(client.send(request_of(std::move(tail))));
  bool first = true;
  while (true) {
    const auto frame = LUZIA_TRY(client.next());
    const auto* part = frame->id() == id ? frame->reply_as_Output() : nullptr;
    if (part == nullptr) continue;
    if (std::exchange(first, false)) piece.offset = part->offset();
    if (part->data() != nullptr) piece.bytes += as_text({part->data()->data(), part->data()->size()});
    const bool last = part->last();
    if (piece.bytes.size() >= limit) piece.bytes.resize(limit);
    if (last) door.keep(device, std::move(client));
    if (last || piece.bytes.size() >= limit) return piece;
  }
}

}  // namespace

Result<Range> range_of(const Request& request) {
  Range range{0, false, kUsualOutput, 0};
  const auto whole = [&](std::string_view name, std::uint64_t otherwise) -> Result<std::uint64_t> {
    const std::string* value = request.parameter(name);
    const auto number = value == nullptr ? otherwise : parse_whole_number(*value);
    if (number) return *number;
    return fail(ErrorKind::usage, "bad_value", std::string(name) + ": not a whole number");
  };
  if (const std::string* from = request.parameter("from")) {
    range.before_end = from->starts_with('-');
    const auto number = parse_whole_number(std::string_view(*from).substr(range.before_end ? 1 : 0));
    if (!number) return fail(ErrorKind::usage, "bad_value", "from: a byte, or -N for N bytes before the end");
    range.from = *number;
  }
  range.limit = LUZIA_TRY(whole("limit", kUsualOutput));
  const auto attempt = LUZIA_TRY(whole("attempt", 0));
  if (range.limit == 0 || range.limit > kMostOutput)
    return fail(ErrorKind::usage, "bad_value", "limit: a number from 1 to " + std::to_string(kMostOutput));
  range.attempt = static_cast<std::uint32_t>(std::min<std::uint64_t>(attempt, ~std::uint32_t{0}));
  return range;
}

Result<KnownOutput> known_output(const DaemonDoor& door, const std::string& device, const std::string& job,
                                 std::uint32_t attempt, const Request& request) {
  const std::string* const at = request.parameter("at");
  const Moment moment =
      at == nullptr ? Moment() : LUZIA_TRY(options_in(kJobCommand, request, {"--", job})).at;
  const view::JobT row = LUZIA_TRY(job_at(door, device, job, moment));
  // Of a log that was there before the job, only what came afterwards is its output.
  const std::uint64_t size = row.log_from + row.output_bytes;
  if (moment.is_now()) return KnownOutput{attempt, size, kNoEnd};
  const std::uint32_t newest = row.tracked ? attempt : row.attempts;
  if (attempt > newest)
    return fail(ErrorKind::not_found, "no_such_attempt",
                "job " + job + " had no attempt " + std::to_string(attempt) + " at that moment (it had had " +
                    std::to_string(newest) + ")");
  const bool between = row.state == schema::JobState::queued || row.state == schema::JobState::parked ||
                       row.attempt > row.attempts;
  const bool ended = !row.tracked && newest != 0 && (between || (attempt != 0 && attempt < newest));
  return KnownOutput{attempt == 0 ? newest : attempt, size, ended ? kNoEnd : size};
}

Answer output(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request) {
  const std::string& job = match.values.find("job")->second;
  const auto range = range_of(request);
  if (!range) return problem(range.error());
  const auto known = known_output(door, device, job, range->attempt, request);
  if (!known) return problem(known.error());
  const std::uint64_t offset =
      range->before_end ? known->size - std::min(known->size, range->from) : range->from;
  const std::uint64_t limit = std::min(range->limit, known->end - std::min(known->end, offset));
  auto piece = read_range(door, device, job, known->attempt, offset, limit);
  if (!piece) return problem(piece.error());
  // It may begin later than asked.
  const std::uint64_t left = known->end - std::min(known->end, piece->offset);
  if (piece->bytes.size() > left) piece->bytes.resize(left);
  Answer answer;
  answer.type = match.route->type;
  answer.body = std::move(piece->bytes);
  const std::uint64_t end = piece->offset + answer.body.size();
  const std::uint64_t size = known->end == kNoEnd ? std::max(known->size, end) : known->size;
  answer.headers = {{"Luzia-Offset", std::to_string(piece->offset)}, {"Luzia-Size", std::to_string(size)}};
  return answer;
}

Answer prompt(const DaemonDoor& door, const std::string& device, const Match& match) {
  const std::string& job = match.values.find("job")->second;
  const auto row = job_at(door, device, job, Moment());
  if (!row) return problem(row.error());
  auto text = prompt_in(row->dir);
  if (!text)
    return problem({ErrorKind::not_found, "no_prompt", "no prompt of job " + job + " is kept",
                    "its directory is made when it starts"});
  Answer answer;
  answer.type = match.route->type;
  answer.body = std::move(*text);
  return answer;
}

}  // namespace luzia::web
