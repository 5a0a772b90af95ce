#include "projections/rows/input_text.h"

#include <fmt/format.h>

#include "engine/base/counted.h"
#include "engine/event/take_fact.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/event_text.h"

namespace luzia {
namespace {

using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

/// "production, staging, ..." : the first few.
std::string first_names(const Names* names) {
  constexpr flatbuffers::uoffset_t kNamed = 5;
  std::string out;
  if (!names) return out;
  for (flatbuffers::uoffset_t i = 0; i < std::min(kNamed, names->size()); ++i) {
    out.append(i == 0 ? "" : ", ").append(names->Get(i)->string_view());
  }
  return names->size() > kNamed ? out + ", ..." : out;
}

std::string wanted_text(const schema::QuestionAsked& fact) {
  using schema::QuestionType;
  const std::size_t count = fact.options() ? fact.options()->size() : 0;
  switch (fact.type()) {
    case QuestionType::text:
      break;
    case QuestionType::choice:
      return fmt::format("a person to choose one of {}: {}", count, first_names(fact.options()));
    case QuestionType::confirm:
      return "a person for a yes or no";
    case QuestionType::multi_select:
      return fmt::format("a person to choose any of {}: {}", count, first_names(fact.options()));
  }
  return "a person a question";
}

std::string asked_text(const schema::QuestionAsked& fact) {
  std::string sentence = fmt::format("asks {} ({})", wanted_text(fact), text(fact.question()));
  const std::string_view otherwise = text(fact.default_answer());
  if (fact.deadline_us() == 0) return sentence;
  return sentence + ", until " + format_rfc3339(fact.deadline_us()) +
         (otherwise.empty() ? std::string(", else the job is stopped")
                            : fmt::format(", else the answer is {}", otherwise));
}

std::string answered_text(const schema::QuestionAnswered& fact, const schema::Event& event) {
  if (fact.by_default()) {
    return fmt::format("question {} got its default answer: nobody answered in time", text(fact.question()));
  }
  return fmt::format("question {} was answered by {}", text(fact.question()), actor_text(event));
}

/// How an answer was delivered. `answer`: "the answer to q-1", "the decision about a-1".
std::string delivered_text(std::string_view channel, const std::string& answer) {
  if (channel == "file") return fmt::format("{} is in its file in the job's folder", answer);
  if (channel == "resume") return fmt::format("the new attempt begins with {}", answer);
  return fmt::format("the agent has {}", answer);
}

std::string reminded_text(const char* what, std::string_view id, std::uint32_t count,
                          std::string_view channel) {
  std::string sentence = fmt::format("{} {} is still open", what, id);
  if (count > 1) sentence += fmt::format(" (reminder {})", count);
  if (!channel.empty()) sentence += fmt::format("; {} is asked now", channel);
  return sentence;
}

std::string requested_text(const schema::ApprovalRequested& fact) {
  const std::string_view tool = text(fact.tool());
  std::string sentence =
      tool.empty() ? fmt::format("asks for approval of {} ({})", text(fact.gate()), text(fact.approval()))
                   : fmt::format("asks whether it may use {} ({})", tool, text(fact.approval()));
  if (fact.auto_after_us() != 0) {
    return sentence + ", approved at " + format_rfc3339(fact.auto_after_us()) + " unless somebody decides";
  }
  if (fact.deadline_us() != 0) return sentence + ", until " + format_rfc3339(fact.deadline_us());
  return sentence;
}

std::string_view decision_words(schema::Decision decision) {
  switch (decision) {
    case schema::Decision::none:
      break;
    case schema::Decision::approved:
      return "was approved";
    case schema::Decision::denied:
      return "was denied";
    case schema::Decision::expired:
      return "expired, which denies it";
  }
  return "was decided";
}

/// Who decided: a policy, with its name, or a person.
std::string decided_text(const schema::ApprovalDecided& fact, const schema::Event& event) {
  std::string sentence = fmt::format("{} {}", text(fact.approval()), decision_words(fact.decision()));
  const std::string_view policy = text(fact.policy());
  const bool expired = fact.decision() == schema::Decision::expired;
  if (policy.empty() && !expired) sentence += " by " + actor_text(event);
  if (!policy.empty()) sentence += fmt::format("{}: {}", expired ? "" : " by policy", policy);
  if (fact.remember()) sentence += ", and so will be the same again in this job";
  return with_note(std::move(sentence), fact.note());
}

std::string snapshot_text(const schema::SnapshotTaken& fact) {
  std::string sentence =
      fmt::format("the files of {} before attempt {} are kept as {}, {} of them changed",
                  text(fact.repository()), fact.attempt(), text(fact.commit()).substr(0, 12), fact.files());
  if (fact.skipped_count() > 0) {
    sentence +=
        fmt::format(", {} too large to be kept: {}", fact.skipped_count(), first_names(fact.skipped()));
  }
  return sentence;
}

std::string removed_text(const schema::WorktreeRemoved& fact) {
  std::string sentence = fmt::format("its own tree {} is removed", text(fact.path()));
  sentence = with_note(std::move(sentence), fact.kept_branch(), ", what it did stays in branch ");
  return with_note(std::move(sentence), fact.reason());
}

}  // namespace

std::string question_text(const schema::Event& event) {
  const auto& question = *event.payload_as_QuestionEvent();
  return fact_or(
      std::string("something about a question that this program does not know"), question,
      [&](const schema::QuestionAsked& fact) { return asked_text(fact); },
      [&](const schema::QuestionAnswered& fact) { return answered_text(fact, event); },
      [&](const schema::QuestionTimedOut& fact) {
        return fmt::format("question {} was not answered in time", text(fact.question()));
      },
      [&](const schema::QuestionCancelled& fact) {
        return with_note(fmt::format("question {} was withdrawn", text(fact.question())), fact.reason());
      },
      [&](const schema::AnswerDelivered& fact) {
        return delivered_text(text(fact.channel()), fmt::format("the answer to {}", text(fact.question())));
      },
      [&](const schema::QuestionReminded& fact) {
        return reminded_text("question", text(fact.question()), fact.count(), text(fact.channel()));
      });
}

std::string approval_text(const schema::Event& event) {
  const auto& approval = *event.payload_as_ApprovalEvent();
  return fact_or(
      std::string("something about an approval that this program does not know"), approval,
      [&](const schema::ApprovalRequested& fact) { return requested_text(fact); },
      [&](const schema::ApprovalDecided& fact) { return decided_text(fact, event); },
      [&](const schema::ApprovalCancelled& fact) {
        return with_note(fmt::format("approval {} was withdrawn", text(fact.approval())), fact.reason());
      },
      [&](const schema::DecisionDelivered& fact) {
        return delivered_text(text(fact.channel()),
                              fmt::format("the decision about {}", text(fact.approval())));
      },
      [&](const schema::ApprovalReminded& fact) {
        return reminded_text("approval", text(fact.approval()), fact.count(), text(fact.channel()));
      });
}

std::string workspace_text(const schema::Event& event) {
  const auto& workspace = *event.payload_as_WorkspaceEvent();
  return fact_or(
      std::string("something about the files that this program does not know"), workspace,
      [&](const schema::SnapshotTaken& fact) { return snapshot_text(fact); },
      [&](const schema::SnapshotFailed& fact) {
        return with_note(fmt::format("the files of {} before attempt {} could not be kept",
                                     text(fact.repository()), fact.attempt()),
                         fact.reason());
      },
      [&](const schema::WorktreeMade& fact) {
        return with_note(fmt::format("works in a tree of its own, {}", text(fact.path())), fact.branch(),
                         ", on branch ");
      },
      [&](const schema::WorktreeRemoved& fact) { return removed_text(fact); },
      [&](const schema::FilesRestored& fact) {
        return with_note(fmt::format("{} put back as they were before attempt {} by {}",
                                     counted(fact.files(), "file"), fact.attempt(), actor_text(event)),
                         fact.backup(), "; what was there is kept as ");
      },
      [&](const schema::FilesContended& fact) {
        return fmt::format("job {} changes the same files, {} of them: {}", text(fact.job()),
                           fact.files_count(), first_names(fact.files()));
      },
      [&](const schema::FilesSeenChanged& fact) {
        return fmt::format("{} of {} seen changed: {}", counted(fact.files_count(), "file"),
                           text(fact.repository()), first_names(fact.files()));
      });
}

bool explains_files(const schema::WorkspaceEvent& workspace) {
  return workspace.fact_as_SnapshotFailed() || workspace.fact_as_FilesRestored() ||
         workspace.fact_as_FilesContended();
}

}  // namespace luzia
