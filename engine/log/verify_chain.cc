#include "engine/log/verify_chain.h"

#include <utility>
#include <vector>

#include "engine/base/cancelled.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/log/event_texts.h"
#include "engine/log/read_ahead.h"

namespace luzia {
namespace {

tl::unexpected<Error> broken_chain(Position position, const std::string& why) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the log's chain breaks at position " + std::to_string(position) + ": " + why,
              "restore the store from a backup, or save what can be proved of it: `luzia-query salvage DIR`");
}

/// Collects what a walk through the log finds.
class Proving {
 public:
  explicit Proving(const EventLog& log) : log_(log) {}

  void look_at_texts(const Group& group) {
    std::vector<std::pair<const schema::Event*, const schema::BlobRef*>> texts;
    for (const auto* event : group.events()) {
      for (const auto* text : texts_of(*event)) texts.emplace_back(event, text);
      erasures_.hear(*event);
    }
    if (texts.empty()) return;
    bool read = false;
    const auto prove = [&](std::string_view bytes) {
      read = true;
      const TextRow row(bytes);
      for (const auto& [event, text] : texts) note(*event, *text, row.look_up(event->position(), *text));
    };
    const Status status = log_.visit_text_row(group.last_position(), prove);
    if (status && !read) prove({});
    if (!status) note_fault(texts.front().first->position(), status.error(), texts.size());
  }

  /// Takes BlobErased events that were recorded after the end of the walk, while it went on.
  void settle_erasures(Position walked) {
    const auto cursor = log_.read_from(walked + 1);
    while (!erasures_.texts().empty()) {
      const auto group = cursor->next();
      if (!group || !*group) break;
      for (const auto* event : (*group)->events()) erasures_.hear(*event);
    }
    for (const PlaceOfText& text : erasures_.texts()) {
      note_fault(
          text.event,
          text_damaged(text.event, text.index, "", "it was erased, and no event records that").value());
    }
  }

  void note_fault(Position position, const Error& error, std::uint64_t count = 1) {
    proof_.damaged += count;
    if (proof_.fault && position >= proof_.first_damaged) return;
    proof_.first_damaged = position;
    proof_.fault = error;
  }

  LogProof& proof() { return proof_; }

 private:
  void note(const schema::Event& event, const schema::BlobRef& text, const FoundText& found) {
    const TextFate fate = found.fate;
    if (fate == TextFate::present) {
      ++proof_.report.texts;
      proof_.report.text_bytes += found.entry.content.size();
    } else if (fate == TextFate::lost) {
      ++proof_.report.lost_texts;
    } else if (fate == TextFate::erased) {
      erasures_.found({event.position(), text.index()});
    } else {
      note_fault(event.position(),
                 text_damaged(event.position(), text.index(), luzia::text(event.stream()), why_damaged(fate))
                     .value());
    }
  }

  const EventLog& log_;
  LogProof proof_;
  UntoldErasures erasures_;
};

/// Walks up to `until`. If a group is invalid, returns why.
Status walk_log(const EventLog& log, const Tip& until, Proving& proving,
                const std::function<void(const ChainReport&)>& progress, const std::stop_token& stop) {
  ChainWalk walk(log.base());
  ChainReport& report = proving.proof().report;
  report.tip = walk.tip();
  const auto cursor = read_ahead(log, walk.tip().position + 1, until.position);
  while (walk.tip().position < until.position) {
    if (stop.stop_requested()) return cancelled("walking the chain of the log");
    auto group = LUZIA_TRY(cursor->next());
    if (!group) break;
    LUZIA_TRY(walk.step(*group));
    ++report.groups;
    report.events += group->events().size();
    report.bytes += group->frames().size();
    report.tip = walk.tip();
    proving.look_at_texts(*group);
    if (progress) progress(report);
  }
  if (report.tip.position < until.position) {
    return broken_chain(report.tip.position + 1,
                        "the log ends there, " + std::to_string(until.position) + " was its last position");
  }
  if (report.tip != until)
    return broken_chain(until.position, "another hash than the store's is found at its end");
  return {};
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

Result<LogProof> prove_log(const EventLog& log, const std::function<void(const ChainReport&)>& progress,
                           const std::stop_token& stop) {
  Proving proving(log);
  const Status walked = walk_log(log, log.tip(), proving, progress, stop);
  if (!walked && stop.stop_requested()) return tl::unexpected(walked.error());
  LogProof& proof = proving.proof();
  if (walked) {
    proving.settle_erasures(proof.report.tip.position);
  } else {
    proving.note_fault(proof.report.tip.position + 1, walked.error());
  }
  return std::move(proof);
}

Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress,
                                 const std::stop_token& stop) {
  std::function<void(const ChainReport&)> told;
  if (progress) told = [&progress](const ChainReport& report) { progress(report.tip.position); };
  const auto proof = LUZIA_TRY(prove_log(log, told, stop));
  if (!proof.fault) return proof.report;
  Error fault = *proof.fault;
  if (proof.damaged > 1) fault.message += " (the first of " + std::to_string(proof.damaged) + " faults)";
  return tl::unexpected(std::move(fault));
}

std::string proof_words(const ChainReport& report) {
  std::string words = "chain of " + counted(report.events, "event") + " in " +
                      counted(report.groups, "group") + " holds up to position " +
                      std::to_string(report.tip.position);
  if (report.texts > 0) words += ", with " + counted(report.texts, "text");
  if (report.lost_texts > 0) words += "; " + counted(report.lost_texts, "text") + " lost before a salvage";
  return words;
}

}  // namespace luzia
