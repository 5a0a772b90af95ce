#include "tools/luzia-web/output.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/read/daemon_source.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

constexpr std::uint64_t kMostOutput = 1 << 20, kUsualOutput = 64 << 10;

/// The recorded size of the newest attempt's output. `no_such_job` (not_found).
Result<std::uint64_t> recorded_size(Source& source, const std::string& job) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.filter->jobs = {job};
  query.limit = 1;
  const RowPage page = LUZIA_TRY(source.query(query));
  const auto rows = LUZIA_TRY(rows_of<view::Job>(page));
  if (rows.empty())
    return fail(ErrorKind::not_found, "no_such_job", "there is no job " + job, "GET /v1/jobs lists them");
  return rows.front()->output_bytes();
}

struct Piece {
  std::uint64_t offset = 0;
  std::string bytes;
};

/// Bytes from `offset` on.
Result<Piece> read_range(Client client, const std::string& job, const Range& range, std::uint64_t offset) {
  wire::TailT tail;
  tail.job = job;
  tail.attempt = range.attempt;
  tail.offset = offset;
  tail.until = offset + range.limit;
  const auto id = LUZIA_TRY(client.send(request_of(std::move(tail))));
  Piece piece{offset, {}};
  bool first = true;
  while (true) {
    const auto frame = LUZIA_TRY(client.next());
    const auto* part = frame->id() == id ? frame->reply_as_Output() : nullptr;
    if (part == nullptr) continue;
    if (std::exchange(first, false)) piece.offset = part->offset();
    if (part->data() != nullptr) piece.bytes += as_text({part->data()->data(), part->data()->size()});
    if (piece.bytes.size() >= range.limit) piece.bytes.resize(range.limit);
    if (piece.bytes.size() >= range.limit || part->last()) return piece;
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

Answer output(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request) {
  const std::string& job = match.values.find("job")->second;
  const auto range = range_of(request);
  if (!range) return problem(range.error());
  auto client = door.connect_as(device);
  if (!client) return problem(client.error());
  DaemonSource source(std::move(*client), [&] { return door.connect_as(device); });
  const auto size = recorded_size(source, job);
  if (!size) return problem(size.error());
  const std::uint64_t offset = range->before_end ? *size - std::min(*size, range->from) : range->from;
  auto second = door.connect_as(device);
  const auto piece =
      second ? read_range(std::move(*second), job, *range, offset) : tl::unexpected(second.error());
  if (!piece) return problem(piece.error());
  Answer answer;
  answer.type = match.route->type;
  answer.body = piece->bytes;
  const std::uint64_t end = piece->offset + piece->bytes.size();
  answer.headers = {{"Luzia-Offset", std::to_string(piece->offset)},
                    {"Luzia-Size", std::to_string(std::max(*size, end))}};
  return answer;
}

}  // namespace luzia::web
