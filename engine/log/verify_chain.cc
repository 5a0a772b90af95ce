#include "engine/log/verify_chain.h"

#include "engine/base/cancelled.h"
#include "engine/log/read_ahead.h"

namespace luzia {
namespace {

tl::unexpected<Error> broken_chain(Position position, const std::string& why) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the log's chain breaks at position " + std::to_string(position) + ": " + why,
              "restore the store from a backup, or save what can be proved of it: `luzia-query salvage DIR`");
}

}  // namespace

Status ChainWalk::step(const Group& group) {
  const Position expected = tip_.position + 1;
  if (group.first_position() > expected) {
    return broken_chain(expected, "events " + std::to_string(expected) + " to " +
                                      std::to_string(group.first_position() - 1) + " are missing");
  }
  if (group.first_position() < expected) {
    return broken_chain(group.first_position(), "the group there overlaps the one before it");
  }
  const auto count = static_cast<std::uint32_t>(group.events().size());
  if (chain_hash(tip_.chain, group.first_position(), count, group.frames()) != group.chain()) {
    return broken_chain(expected,
                        "the group's hash does not follow from its content and the group before it");
  }
  tip_ = {group.last_position(), group.chain()};
  return {};
}

Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress,
                                 const std::stop_token& stop) {
  const Tip until = log.tip();
  ChainWalk walk(log.base());
  ChainReport report;
  const auto cursor = read_ahead(log, walk.tip().position + 1, until.position);
  while (walk.tip().position < until.position) {
    if (stop.stop_requested()) return cancelled("walking the chain of the log");
    auto group = cursor->next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) break;
    if (auto stepped = walk.step(**group); !stepped) return tl::unexpected(stepped.error());
    ++report.groups;
    report.events += (*group)->events().size();
    report.bytes += (*group)->frames().size();
    if (progress) progress(walk.tip().position);
  }
  report.tip = walk.tip();
  if (report.tip.position < until.position) {
    return broken_chain(report.tip.position + 1,
                        "the log ends there, " + std::to_string(until.position) + " was its last position");
  }
  if (report.tip != until)
    return broken_chain(until.position, "another hash than the store's is found at its end");
  return report;
}

}  // namespace luzia
