// read: answers questions about the rows of all sites on standard input, for programs that do not speak with
// databases: luzia-query --fleet, luzia-web.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "adapters/socket/fleet_frame.h"
#include "engine/base/descriptor.h"
#include "engine/base/try.h"
#include "tools/luzia-fleet/commands.h"
#include "tools/luzia-fleet/settings.h"
#include "tools/luzia-fleet/site_rows.h"

namespace luzia {
namespace {

/// Who keeps it for the next question starts it again; the database has one connection less meanwhile.
constexpr int kUnaskedMs = 60'000;

/// Whether there is something to read; false: nobody has asked anything for long.
bool is_asked() {
  pollfd asked{STDIN_FILENO, POLLIN, 0};
  int ready = ::poll(&asked, 1, kUnaskedMs);
  while (ready < 0 && errno == EINTR) ready = ::poll(&asked, 1, kUnaskedMs);
  return ready != 0;
}

class FleetAnswers {
 public:
  explicit FleetAnswers(Invocation& invocation) : invocation_(invocation) {}

  /// False: nobody reads the answers any more.
  bool answer(const wire::FleetQuestion& question) {
    bool reads_on = true;
    const auto send = [&](const wire::FleetAnswerT& answer) -> Status {
      reads_on = write_fully(STDOUT_FILENO, encode(answer));
      if (reads_on) return {};
      return fail(ErrorKind::trouble, "stopped", "nobody reads the answer");
    };
    const Status done = try_to_answer(question, send);
    if (done || !reads_on) return reads_on;
    wire::FleetAnswerT refusal;
    refusal.id = question.id();
    refusal.last = true;
    refusal.refused = std::make_unique<wire::RefusedT>();
    refusal.refused->code = done.error().code;
    refusal.refused->message = done.error().message;
    refusal.refused->hint = done.error().hint;
    refusal.refused->exit_code = static_cast<std::uint8_t>(done.error().kind);
    return send(refusal).has_value();
  }

 private:
  Status try_to_answer(const wire::FleetQuestion& question,
                       const std::function<Status(wire::FleetAnswerT)>& send) {
    if (!database_ || !database_->is_usable()) {
      database_.reset();
      database_ = LUZIA_TRY(connect_as_people(invocation_, "read"));
      LUZIA_TRY(database_->script("SET default_transaction_read_only = on"));
      LUZIA_TRY(check_reader(*database_));
    }
    return answer_question(*database_, question, wall_clock(), send);
  }

  Invocation& invocation_;
  std::optional<Postgres> database_;
};

}  // namespace

Result<int> read_fleet(Invocation& invocation) {
  FleetAnswers answers(invocation);
  FrameReader reader;
  std::array<std::uint8_t, 16 << 10> bytes;
  bool reads_on = true;
  while (reads_on && is_asked()) {
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    Status understood;
    LUZIA_TRY(reader.feed({bytes.data(), static_cast<std::size_t>(got)}, [&](Bytes frame) {
      const auto question = parse_fleet_question(frame);
      if (!question) understood = tl::unexpected(question.error());
      if (question && understood && reads_on) reads_on = answers.answer(**question);
    }));
    LUZIA_TRY(std::move(understood));
  }
  return 0;
}

}  // namespace luzia
