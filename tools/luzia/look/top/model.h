// The state of luzia top. A key changes it and may ask the program to do something. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/luzia/look/top/detail.h"
#include "tools/luzia/look/top/keys.h"
#include "tools/read/overview.h"

namespace luzia {

/// The id of the row that shows it: its job, or FLOW/STEP for a step of a flow without a job.
std::string_view row_id_of(const view::Question& question);
std::string_view row_id_of(const view::Approval& approval);
/// Whether a row is no job but a step of a flow that waits for a person, at its gate or to be done.
bool is_flow_step(const view::Job& row);

/// What a key asks the program to do. `job` may be a flow's gate where something is approved or denied.
struct TopAction {
  enum class Kind {
    none,
    quit,
    suspend,
    redraw,
    show_detail,
    hide_detail,
    answer,
    approve,
    deny,
    cancel,
    retry,
    attach
  };
  Kind kind = Kind::none;
  std::string job = {};
  std::string prompt = {};  // id of the question or approval
  std::string answer = {};  // the option's number
};

class TopModel {
 public:
  enum class Mode { list, detail, help, filter, confirm };

  /// Jobs, and steps of flows that wait for a person, that match the filter, as they are shown.
  struct Group {
    std::string_view title;
    Colour colour = Colour::none;
    std::vector<const view::Job*> jobs;
    std::uint64_t total = 0;
    std::string count;             // for its heading
    std::string hint;              // where to see the others; empty: none are left out
    std::string_view reason = {};  // why all of them wait, if it is the same for all; not made harmless
  };

  /// Shows this state of the jobs. The selection stays on its job. If the job is gone, the next row in its
  /// place is selected. After an answer or a decision the next row that needs a person is selected. If there
  /// is none, the job stays selected, or for a gate the job of its step; if that row is gone, nothing is
  /// selected.
  void take(std::shared_ptr<const Overview> seen, TimeUs now);
  /// Whether the selection has moved on after an answer. Keys that decide are then ignored until another key
  /// or settle(), so that a key pressed twice does not decide about the next row.
  bool has_moved_on() const { return moved_on_; }
  /// The person has had time to see what is selected.
  void settle() { moved_on_ = false; }
  /// Details of the job that is shown alone; those of another job are ignored.
  void take(TopDetail detail);
  /// `rows`: how many rows a page has.
  TopAction press(const Key& key, std::size_t rows);
  /// Shows a message at the bottom until the next key, such as the answer to a command.
  void say(std::string words) { message_ = std::move(words); }

  Mode mode() const { return mode_; }
  /// Whether a job is shown alone, also behind a confirmation.
  bool shows_detail() const {
    return mode_ == Mode::detail || (mode_ == Mode::confirm && below_ == Mode::detail);
  }
  const std::vector<Group>& groups() const { return groups_; }
  const view::Job* selected() const;
  const StatusNotes& notes() const;
  bool is_empty() const { return seen_ == nullptr; }
  const TopDetail& detail() const { return detail_; }
  const std::string& filter() const { return filter_; }
  const std::string& message() const { return message_; }
  /// What y would do, in words.
  const std::string& question() const { return question_; }
  /// The oldest open question or approval of the selected job; nullptr: it has none.
  const view::Question* asked() const;
  const view::Approval* gate() const;
  /// The selected step, if a person does it; else nullptr.
  const ManualStep* manual_step() const;

 private:
  TopAction press_in_list(const Key& key, std::size_t rows);
  TopAction press_in_filter(const Key& key);
  TopAction press_in_confirm(const Key& key);
  TopAction press_letter(char letter);
  TopAction decide(bool approves);
  TopAction cancel_selected();
  TopAction retry_selected();
  TopAction attach_to_selected();
  TopAction answer(int number);
  TopAction ask_first(TopAction action, std::string question);
  TopAction move(std::ptrdiff_t by);
  TopAction open_detail();
  TopAction leave();
  using Rows = std::vector<const view::Job*>;
  Rows rows() const;
  /// The selected row, or the job of its step if a gate is gone; else the end.
  Rows::const_iterator find_selected(const Rows& all) const;
  /// Jobs and gates, whatever the filter.
  std::vector<const view::Job*> everything() const;
  void group();
  void keep_selection();
  void move_on();
  void forget_act();

  std::shared_ptr<const Overview> seen_;
  std::shared_ptr<const std::vector<std::string>> steps_;  // rows of flows' steps, encoded
  TimeUs now_ = 0;
  std::vector<Group> groups_;
  Mode mode_ = Mode::list, below_ = Mode::list;  // below: where filter, help and confirm return to
  std::string selected_;                         // id
  std::string acted_on_;                         // id of the row that something was done to, until it is left
  std::string acted_prompt_;                     // its question or approval, until the selection moves on
  bool moved_on_ = false;
  std::size_t place_ = 0;  // of the selected row, for when it goes
  TopDetail detail_;
  std::string filter_, filter_before_, message_, question_;
  TopAction asked_first_;
};

}  // namespace luzia
