#include "tools/luzia/look/top/model.h"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/base/counted.h"
#include "engine/base/lower_case.h"
#include "engine/flow/flow.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"
#include "tools/cli/json_text.h"

namespace luzia {
namespace {

bool fits(const view::Job& job, const std::string& wanted) {
  if (wanted.empty()) return true;
  for (const std::string_view words : {text(job.id()), text(job.project()), text(job.agent()),
                                       text(job.task()), text(job.last_line()), state_name(job.state())}) {
    if (lower_case(words).find(wanted) != std::string::npos) return true;
  }
  return false;
}

/// A step that waits at its gate, in the form of a job.
std::string gate_row(const view::Approval& approval) {
  view::JobT row;
  row.id = text(approval.id());
  row.project = text(approval.project());
  row.agent = text(approval.agent());
  row.task = text(approval.description());
  row.state = schema::JobState::waiting;
  row.approvals_open = 1;
  row.queued_us = row.started_us = approval.asked_us();
  return row_bytes(row);
}

/// A step that people are to do, in the form of a job.
std::string manual_row(const ManualStep& step) {
  view::JobT row;
  row.id = name_of(step);
  row.project = step.project;
  row.task = step.description;
  row.state = schema::JobState::waiting;
  row.queued_us = row.started_us = step.since_us;
  return row_bytes(row);
}

/// Of the rows of one job the one that was asked first, also where an older daemon lists the newest first.
template <class Row>
const Row* oldest_of(const std::vector<const Row*>& rows, const view::Job* job) {
  const Row* oldest = nullptr;
  for (const Row* row : rows) {
    if (job == nullptr || row->state() != view::QuestionState::open) continue;
    const bool earlier = oldest == nullptr || row->position() < oldest->position();
    if (earlier && row_id_of(*row) == text(job->id())) oldest = row;
  }
  return oldest;
}

/// Who has waited longest for a person comes first, as in luzia status; rows of which no request is known,
/// last.
void sort_by_wait(std::vector<const view::Job*>& rows, const StatusNotes& notes) {
  std::map<std::string, TimeUs, std::less<>> since;
  const auto note = [&since](const auto& row) {
    const auto [known, is_first] = since.try_emplace(std::string(row_id_of(row)), row.asked_us());
    if (!is_first) known->second = std::min(known->second, row.asked_us());
  };
  for (const view::Question* question : notes.questions) note(*question);
  for (const view::Approval* approval : notes.approvals) note(*approval);
  for (const ManualStep& step : notes.manual_steps) since.try_emplace(name_of(step), step.since_us);
  std::ranges::stable_sort(rows, {}, [&since](const view::Job* row) {
    const auto known = since.find(text(row->id()));
    return known == since.end() ? std::numeric_limits<TimeUs>::max() : known->second;
  });
}

void drop_last_character(std::string& words) {
  while (!words.empty() && (static_cast<unsigned char>(words.back()) & 0xc0) == 0x80) words.pop_back();
  if (!words.empty()) words.pop_back();
}

bool needs_person(const view::Job& row, const StatusNotes& notes) {
  return oldest_of(notes.questions, &row) != nullptr || oldest_of(notes.approvals, &row) != nullptr ||
         std::ranges::find(notes.manual_steps, text(row.id()), name_of) != notes.manual_steps.end();
}

/// Whether the question or approval with this id is open.
bool is_open(const std::string& prompt, const StatusNotes& notes) {
  const auto is_it = [&prompt](const auto* row) {
    return row->state() == view::QuestionState::open && text(row->id()) == prompt;
  };
  return std::ranges::any_of(notes.questions, is_it) || std::ranges::any_of(notes.approvals, is_it);
}

/// Whether the key answers, decides or does something to a job, at once or as the answer to our question.
bool decides(const Key& key) {
  constexpr std::string_view kLetters = "123456789adcrtyY";
  return key.code == KeyCode::text && key.text.size() == 1 &&
         kLetters.find(key.text) != std::string_view::npos;
}

constexpr std::size_t kLongestFilter = 200;
constexpr std::size_t kQueuedShown = 5;
constexpr const char* kDoneByPeople = "a person does this step: luzia flow complete reports that it is done";

/// ": the first words of its task", so that nobody cancels another one.
std::string task_words(const view::Job& job) {
  constexpr std::size_t kMostBytes = 48;
  const std::string_view task = text(job.task());
  const std::string words = shortened(task.substr(0, task.find('\n')), kMostBytes);
  return words.empty() ? words : ": " + words;
}

}  // namespace

std::string_view row_id_of(const view::Question& question) {
  return text(question.job());
}

std::string_view row_id_of(const view::Approval& approval) {
  return text(approval.job()).empty() ? text(approval.id()) : text(approval.job());
}

bool is_flow_step(const view::Job& row) {
  return split_flow_step(text(row.id())).has_value();
}

const StatusNotes& TopModel::notes() const {
  static const StatusNotes kNothing;
  return seen_ == nullptr ? kNothing : seen_->notes;
}

void TopModel::group() {
  groups_.clear();
  if (seen_ == nullptr) return;
  const std::string wanted = lower_case(filter_);
  const view::Job* const chosen = selected();
  const bool in_queue = chosen != nullptr && chosen->state() == schema::JobState::queued;
  auto all_groups = group_by_attention(everything(), now_);
  count_all(all_groups, seen_->totals, true);
  sort_by_wait(all_groups.front().jobs, notes());
  for (AttentionGroup& of : shown_groups(std::move(all_groups), notes())) {
    // A long queue leaves room for what has ended, and unfolds when a job of it is selected.
    if (of.key == "queued" && wanted.empty() && !in_queue)
      of.jobs.resize(std::min(of.jobs.size(), kQueuedShown));
    Group group{of.title, of.colour, {}, 0, {}, {}, common_reason(of, notes().queue)};
    for (const view::Job* job : of.jobs) {
      if (fits(*job, wanted)) group.jobs.push_back(job);
    }
    group.hint = others_hint(of);
    if (wanted.empty()) {
      group.total = of.total;
      group.count = group_count(of);
    } else {
      // How many of those that are not named fit the filter is not known.
      group.total = group.jobs.size();
      group.count = grouped(group.total);
      if (!group.hint.empty()) group.count += " of the first " + grouped(of.jobs.size());
    }
    if (!group.jobs.empty()) groups_.push_back(std::move(group));
  }
  keep_selection();
  const view::Job* const now_chosen = selected();
  const bool unfolds = now_chosen != nullptr && now_chosen->state() == schema::JobState::queued;
  if (unfolds && !in_queue) group();
}

void TopModel::forget_act() {
  acted_on_.clear();
  acted_prompt_.clear();
}

void TopModel::move_on() {
  if (acted_prompt_.empty() || mode_ != Mode::list || is_open(acted_prompt_, notes())) return;
  acted_prompt_.clear();
  // The job may ask something else; then the rows after its place, and those before it.
  auto all = rows();
  const auto same = find_selected(all);
  if (same != all.end() && needs_person(**same, notes())) {
    place_ = static_cast<std::size_t>(same - all.begin());
  }
  std::ranges::rotate(all, all.begin() + static_cast<std::ptrdiff_t>(std::min(place_, all.size())));
  const auto next =
      std::ranges::find_if(all, [this](const view::Job* row) { return needs_person(*row, notes()); });
  if (next == all.end()) return;
  selected_ = text((*next)->id());
  acted_on_.clear();
  moved_on_ = true;
}

void TopModel::keep_selection() {
  move_on();
  const auto all = rows();
  const auto same = find_selected(all);
  if (same != all.end()) {
    place_ = static_cast<std::size_t>(same - all.begin());
    selected_ = text((*same)->id());
  } else if (!all.empty() && selected_ == acted_on_ && !selected_.empty()) {
    place_ = std::min(place_, all.size() - 1);
  } else if (mode_ != Mode::detail && below_ != Mode::detail) {
    place_ = std::min(place_, all.empty() ? 0 : all.size() - 1);
    selected_ = all.empty() ? std::string() : std::string(text(all[place_]->id()));
  }
}

TopModel::Rows::const_iterator TopModel::find_selected(const Rows& all) const {
  const auto same =
      std::ranges::find_if(all, [&](const view::Job* job) { return text(job->id()) == selected_; });
  const auto step = split_flow_step(selected_);
  if (same != all.end() || !step) return same;
  return std::ranges::find_if(all, [&](const view::Job* job) {
    return text(job->flow()) == step->first && text(job->step()) == step->second;
  });
}

std::vector<const view::Job*> TopModel::rows() const {
  std::vector<const view::Job*> all;
  for (const Group& group : groups_) all.insert(all.end(), group.jobs.begin(), group.jobs.end());
  return all;
}

std::vector<const view::Job*> TopModel::everything() const {
  if (seen_ == nullptr) return {};
  std::vector<const view::Job*> all = seen_->jobs;
  for (const std::string& step : *steps_) all.push_back(flatbuffers::GetRoot<view::Job>(step.data()));
  return all;
}

void TopModel::take(std::shared_ptr<const Overview> seen, TimeUs now) {
  std::vector<std::string> steps;
  for (const view::Approval* approval : seen->notes.approvals) {
    const bool open = approval->state() == view::QuestionState::open;
    if (open && text(approval->job()).empty()) steps.push_back(gate_row(*approval));
  }
  for (const ManualStep& step : seen->notes.manual_steps) {
    // Two answers, and a gate may have been opened between them: then its row is enough.
    const auto same = [&](const auto* gate) { return text(gate->id()) == name_of(step); };
    if (std::ranges::none_of(seen->notes.approvals, same)) steps.push_back(manual_row(step));
  }
  steps_ = std::make_shared<const std::vector<std::string>>(std::move(steps));
  seen_ = std::move(seen);
  now_ = now;
  group();
}

void TopModel::take(TopDetail detail) {
  if (detail.job == detail_.job) detail_ = std::move(detail);
}

const view::Job* TopModel::selected() const {
  const auto all = everything();
  const auto found = std::ranges::find_if(all, [&](const auto* job) { return text(job->id()) == selected_; });
  return found == all.end() ? nullptr : *found;
}

const view::Question* TopModel::asked() const {
  return oldest_of(notes().questions, selected());
}

const view::Approval* TopModel::gate() const {
  return oldest_of(notes().approvals, selected());
}

const ManualStep* TopModel::manual_step() const {
  const auto found = std::ranges::find(notes().manual_steps, selected_, name_of);
  return found == notes().manual_steps.end() ? nullptr : &*found;
}

TopAction TopModel::press(const Key& key, std::size_t rows) {
  message_.clear();
  if (key.code == KeyCode::interrupt) return {TopAction::Kind::quit};
  if (key.code == KeyCode::suspend) return {TopAction::Kind::suspend};
  if (key.code == KeyCode::redraw) return {TopAction::Kind::redraw};
  if (moved_on_ && mode_ == Mode::list && decides(key)) {
    message_ = "this is the next one: wait a moment, then press again";
    return {};
  }
  moved_on_ = false;
  switch (mode_) {
    case Mode::list:
    case Mode::detail:
      return press_in_list(key, rows);
    case Mode::help:
      mode_ = below_;
      return {};
    case Mode::filter:
      return press_in_filter(key);
    case Mode::confirm:
      return press_in_confirm(key);
  }
  return {};
}

TopAction TopModel::press_in_list(const Key& key, std::size_t rows) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, rows));
  constexpr std::ptrdiff_t kFar = 1 << 20;
  switch (key.code) {
    case KeyCode::text:
      return key.text.size() == 1 ? press_letter(key.text.front()) : TopAction{};
    case KeyCode::up:
      return move(-1);
    case KeyCode::down:
      return move(1);
    case KeyCode::page_up:
      return move(-page);
    case KeyCode::page_down:
      return move(page);
    case KeyCode::home:
      return move(-kFar);
    case KeyCode::end:
      return move(kFar);
    case KeyCode::enter:
      return open_detail();
    case KeyCode::escape:
    case KeyCode::backspace:
      return leave();
    case KeyCode::interrupt:
    case KeyCode::suspend:
    case KeyCode::redraw:
      break;
  }
  return {};
}

TopAction TopModel::press_letter(char letter) {
  if (letter >= '1' && letter <= '9') return answer(letter - '0');
  switch (letter) {
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'q':
      return mode_ == Mode::detail ? leave() : TopAction{TopAction::Kind::quit};
    case '?':
      below_ = mode_;
      mode_ = Mode::help;
      return {};
    case '/':
      if (mode_ == Mode::detail) return {};
      filter_before_ = filter_;
      mode_ = Mode::filter;
      return {};
    case 'a':
    case 'd':
      return decide(letter == 'a');
    case 'c':
      return cancel_selected();
    case 'r':
      return retry_selected();
    case 't':
      return attach_to_selected();
    case 'l':
      return open_detail();
    default:
      return {};
  }
}

TopAction TopModel::decide(bool approves) {
  const view::Approval* open = gate();
  if (open == nullptr) {
    message_ = manual_step() != nullptr ? kDoneByPeople : "this job waits for no approval";
    return {};
  }
  const auto kind = approves ? TopAction::Kind::approve : TopAction::Kind::deny;
  return ask_first({kind, selected_, std::string(text(open->id())), {}},
                   (approves ? "Approve " : "Deny ") + std::string(text(open->gate())) + " of " + selected_);
}

TopAction TopModel::cancel_selected() {
  const view::Job* job = selected();
  if (job == nullptr) return {};
  if (is_flow_step(*job)) {
    message_ =
        manual_step() != nullptr ? kDoneByPeople : "a flow waits here: a lets it go on, d stops the step";
    return {};
  }
  if (is_terminal(job->state())) {
    message_ = "this job has ended already";
    return {};
  }
  return ask_first({TopAction::Kind::cancel, selected_, {}, {}}, "Cancel " + selected_ + task_words(*job));
}

TopAction TopModel::retry_selected() {
  const view::Job* job = selected();
  if (job == nullptr) return {};
  if (is_flow_step(*job) || !is_terminal(job->state())) {
    message_ = "only a job that has ended can be retried";
    return {};
  }
  return ask_first({TopAction::Kind::retry, selected_, {}, {}}, "Retry " + selected_ + task_words(*job));
}

TopAction TopModel::attach_to_selected() {
  const view::Job* job = selected();
  if (job == nullptr) return {};
  if (is_flow_step(*job)) {
    message_ = "a flow waits here: it has no terminal";
    return {};
  }
  return {TopAction::Kind::attach, selected_};
}

TopAction TopModel::answer(int number) {
  const view::Question* open = asked();
  if (open == nullptr) {
    message_ = manual_step() != nullptr ? kDoneByPeople
                                        : "this job asks nothing; of what it wants approved a and d decide";
    return {};
  }
  const auto place = static_cast<flatbuffers::uoffset_t>(number - 1);
  std::string words;
  if (open->type() == schema::QuestionType::confirm) {
    if (number <= 2) words = number == 1 ? "yes" : "no";
  } else if (open->options() != nullptr && place < open->options()->size()) {
    words = open->options()->Get(place)->str();
  }
  if (words.empty()) {
    const bool any_text = open->type() == schema::QuestionType::text;
    message_ = any_text ? "it takes a text: luzia answer " + selected_ + " TEXT" : "it has no such option";
    return {};
  }
  const bool by_word = open->type() == schema::QuestionType::confirm;
  return ask_first({TopAction::Kind::answer, selected_, std::string(text(open->id())),
                    by_word ? words : std::to_string(number)},
                   "Answer " + selected_ + ": " + words);
}

TopAction TopModel::ask_first(TopAction action, std::string question) {
  asked_first_ = std::move(action);
  question_ = std::move(question);
  below_ = mode_;
  mode_ = Mode::confirm;
  return {};
}

TopAction TopModel::press_in_confirm(const Key& key) {
  mode_ = below_;
  if (key.code == KeyCode::text && (key.text == "y" || key.text == "Y")) {
    acted_on_ = selected_;
    acted_prompt_ = asked_first_.prompt;
    return std::move(asked_first_);
  }
  message_ = "left as it is";
  return {};
}

TopAction TopModel::press_in_filter(const Key& key) {
  if (key.code == KeyCode::text && filter_.size() < kLongestFilter) {
    filter_ += key.text;
  } else if (key.code == KeyCode::backspace) {
    drop_last_character(filter_);
  } else if (key.code == KeyCode::enter) {
    mode_ = Mode::list;
  } else if (key.code == KeyCode::escape) {
    filter_ = filter_before_;
    mode_ = Mode::list;
  } else if (key.code == KeyCode::up || key.code == KeyCode::down) {
    return move(key.code == KeyCode::up ? -1 : 1);
  }
  forget_act();
  group();
  return {};
}

TopAction TopModel::move(std::ptrdiff_t by) {
  const auto all = rows();
  if (all.empty()) return {};
  // Where the selected row has gone the next one is in its place.
  if (by > 0 && find_selected(all) == all.end()) --by;
  forget_act();
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  const auto place = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place_) + by, 0, last);
  place_ = static_cast<std::size_t>(place);
  selected_ = std::string(text(all[place_]->id()));
  group();
  return mode_ == Mode::detail ? open_detail() : TopAction{};
}

TopAction TopModel::open_detail() {
  if (selected_.empty()) return {};
  mode_ = below_ = Mode::detail;
  if (detail_.job == selected_) return {};
  detail_ = {};
  detail_.job = selected_;
  const view::Job* shown = selected();
  if (shown != nullptr && is_flow_step(*shown)) return {TopAction::Kind::hide_detail};
  return {TopAction::Kind::show_detail, selected_};
}

TopAction TopModel::leave() {
  forget_act();
  if (mode_ == Mode::detail) {
    mode_ = below_ = Mode::list;
    detail_ = {};
    group();
    return {TopAction::Kind::hide_detail};
  }
  if (filter_.empty()) return {TopAction::Kind::quit};
  filter_.clear();
  group();
  return {};
}

}  // namespace luzia
