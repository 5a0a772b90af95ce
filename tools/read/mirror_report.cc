#include "tools/read/mirror_report.h"

#include <fcntl.h>

#include "engine/base/characters.h"
#include "engine/base/counted.h"
#include "engine/base/descriptor.h"
#include "tools/cli/json_text.h"

namespace luzia {
namespace {

constexpr std::size_t kMostStatusBytes = 64 << 10;
/// A mirror that is behind reports more often than this, also while a statement lasts long.
constexpr TimeUs kLongestSilence = 3 * kMinuteUs;

Position mirror_number(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<Position>() : 0;
}

std::optional<Error> mirror_error(const Json& status) {
  const auto found = status.find("error");
  if (found == status.end() || !found->is_object()) return std::nullopt;
  return Error{ErrorKind::trouble, text_of(*found, "code"),
               without_control_characters(text_of(*found, "message")),
               without_control_characters(text_of(*found, "hint"))};
}

}  // namespace

std::optional<MirrorReport> read_mirror_report(const std::string& store) {
  const Descriptor file(
      ::open((store + "/fleet.status").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const auto text = file ? read_up_to(file.get(), kMostStatusBytes) : std::nullopt;
  const auto json = parse_json(text.value_or(""));
  if (!json || !json->is_object()) return std::nullopt;
  MirrorReport status;
  status.site = without_control_characters(text_of(*json, "site"));
  status.database = without_control_characters(text_of(*json, "url_shown"));
  status.position = mirror_number(*json, "position");
  status.at = parse_time(text_of(*json, "at"), 0).value_or(0);
  const auto connected = json->find("connected");
  status.connected = connected != json->end() && *connected == true;
  status.fault = mirror_error(*json);
  status.orders = read_order_report(*json);
  return status;
}

std::optional<MirrorFault> mirror_fault(const MirrorReport& status, Position tip, TimeUs now) {
  const std::string site = "the log is not mirrored as site " + status.site;
  if (status.fault) return MirrorFault{site + ": " + status.fault->message, status.fault->hint};
  const TimeUs silence = now - status.at;
  if (tip <= status.position || silence < kLongestSilence) return std::nullopt;
  return MirrorFault{site + ": " + counted(tip - status.position, "event waits", "events wait") +
                         ", and luzia-fleet has copied none for " + format_duration(silence),
                     "luziad.log says what luzia-fleet does; luzia daemon restart starts it anew"};
}

void report_mirror_faults(Session& session, Position tip) {
  const Options& options = session.options();
  if (!options.at.is_now() || options.format != Format::table || session.machines() != nullptr ||
      session.is_unwatched() || session.invocation().is_elsewhere())
    return;
  const Config* const config = session.invocation().config_of_daemon();
  if (config != nullptr && config->fleet.url.empty()) return;
  const auto place = session.invocation().place();
  if (!place || place->store.empty()) return;
  const auto status = read_mirror_report(place->store);
  const auto fault = status ? mirror_fault(*status, tip, session.invocation().now()) : std::nullopt;
  if (fault) session.console().say("fleet: " + fault->what + "; luzia doctor says what to do");
  if (!status || status->orders.refused.empty()) return;
  const auto& refused = status->orders.refused;
  const std::string more =
      refused.size() == 1 ? "" : " (" + counted(refused.size() - 1, "more order") + " within a day)";
  session.console().say("fleet: " + refused_order_text(refused.front(), session.invocation().now()) + more +
                        "; luzia doctor says what to do");
}

}  // namespace luzia
