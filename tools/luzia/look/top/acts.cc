#include "tools/luzia/look/top/acts.h"

#include "engine/event/job_state.h"
#include "tools/cli/json_text.h"

namespace luzia {
namespace {

constexpr const char* kDoneByPeople = "a person does this step: luzia flow complete reports that it is done";

/// ": the first words of its task", so that nobody cancels another one.
std::string task_words(const view::Job& job) {
  constexpr std::size_t kMostBytes = 48;
  const std::string_view task = text(job.task());
  const std::string words = shortened(task.substr(0, task.find('\n')), kMostBytes);
  return words.empty() ? words : ": " + words;
}

TopAct no_act(std::string why) {
  return {{}, {}, std::move(why)};
}

}  // namespace

TopAct decision_act(const std::string& id, const TopNeeds& needs, bool approves) {
  if (needs.approval == nullptr)
    return no_act(needs.step != nullptr ? kDoneByPeople : "this job waits for no approval");
  return {{approves ? TopAction::Kind::approve : TopAction::Kind::deny,
           id,
           std::string(text(needs.approval->id())),
           {}},
          (approves ? "Approve " : "Deny ") + std::string(text(needs.approval->gate())) + " of " + id,
          {}};
}

TopAct cancel_act(const view::Job& row, const TopNeeds& needs) {
  if (is_flow_step(row)) {
    return no_act(needs.step != nullptr ? kDoneByPeople
                                        : "a flow waits here: press a to approve the step, d to deny it");
  }
  if (is_terminal(row.state())) return no_act("this job has ended already");
  const std::string id(text(row.id()));
  return {{TopAction::Kind::cancel, id, {}, {}}, "Cancel " + id + task_words(row), {}};
}

TopAct retry_act(const view::Job& row) {
  if (is_flow_step(row) || !is_terminal(row.state()))
    return no_act("only a job that has ended can be retried");
  const std::string id(text(row.id()));
  return {{TopAction::Kind::retry, id, {}, {}}, "Retry " + id + task_words(row), {}};
}

TopAct attach_act(const view::Job& row) {
  if (is_flow_step(row)) return no_act("a flow waits here: it has no terminal");
  return {{TopAction::Kind::attach, std::string(text(row.id())), {}, {}}, {}, {}};
}

TopAct answer_act(const std::string& id, const TopNeeds& needs, int number) {
  const view::Question* open = needs.question;
  if (open == nullptr) {
    return no_act(needs.step != nullptr ? kDoneByPeople
                                        : "this job asks nothing; of what it wants approved a and d decide");
  }
  const auto place = static_cast<flatbuffers::uoffset_t>(number - 1);
  const bool by_word = open->type() == schema::QuestionType::confirm;
  std::string words;
  if (by_word) {
    if (number <= 2) words = number == 1 ? "yes" : "no";
  } else if (open->options() != nullptr && place < open->options()->size()) {
    words = open->options()->Get(place)->str();
  }
  if (words.empty()) {
    const bool any_text = open->type() == schema::QuestionType::text;
    return no_act(any_text ? "it takes a text: luzia answer " + id + " TEXT" : "it has no such option");
  }
  return {
      {TopAction::Kind::answer, id, std::string(text(open->id())), by_word ? words : std::to_string(number)},
      "Answer " + id + ": " + words,
      {}};
}

}  // namespace luzia
