// The state of luzia top. A key changes it and may ask the program to do something. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/luzia/look/top/acts.h"
#include "tools/luzia/look/top/detail.h"
#include "tools/luzia/look/top/keys.h"
#include "tools/luzia/look/top/rows.h"
#include "tools/luzia/look/top/selection.h"

namespace luzia {

/// What another machine has said last.
struct TopFar {
  std::string machine;
  std::shared_ptr<const Overview> seen;  // not null
  bool is_old = false;                   // it does not answer now
};

class TopModel {
 public:
  enum class Mode { list, detail, help, filter, confirm };

  /// Shows this state of the jobs. The selection stays on its job. If the job is gone, the next row in its
  /// place is selected. After an answer or a decision the next row that needs a person is selected. If there
  /// is none, the job stays selected, or for a gate the job of its step; if that row is gone, nothing is
  /// selected.
  void take(std::shared_ptr<const Overview> seen, TimeUs now);
  /// Whether the selection has moved on after an answer. Keys that decide are then ignored until another key
  /// or settle(), so that a key pressed twice does not decide about the next row.
  bool has_moved_on() const { return selection_.has_moved_on(); }
  /// The person has had time to see what is selected.
  void settle() { selection_.settle(); }
  /// Details of the job that is shown alone; those of another job are ignored.
  void take(TopDetail detail);
  /// `rows`: how many rows a page has.
  TopAction press(const Key& key, std::size_t rows);
  /// Shows a message at the bottom until the next key, such as the answer to a command.
  void say(std::string words) { message_ = std::move(words); }

  /// How other machines are, in one line (empty: nobody asked), and their jobs.
  void show_machines(std::string words, std::vector<TopFar> far = {}) {
    machines_ = std::move(words);
    far_ = std::move(far);
  }
  const std::string& machines() const { return machines_; }
  const std::vector<TopFar>& far() const { return far_; }

  Mode mode() const { return mode_; }
  /// Whether a job is shown alone, also behind a confirmation.
  bool shows_detail() const {
    return mode_ == Mode::detail || (mode_ == Mode::confirm && below_ == Mode::detail);
  }
  const std::vector<TopGroup>& groups() const { return groups_; }
  const TopRows& rows() const { return rows_; }
  const view::Job* selected() const { return rows_.find(selection_.id()); }
  /// What the selected row wants from a person.
  TopNeeds needs() const;
  const TopDetail& detail() const { return detail_; }
  const std::string& filter() const { return filter_; }
  const std::string& message() const { return message_; }
  /// What y would do, in words.
  const std::string& question() const { return question_; }

 private:
  TopAction press_in_list(const Key& key, std::size_t rows);
  TopAction press_in_filter(const Key& key);
  TopAction press_in_confirm(const Key& key);
  TopAction press_letter(char letter);
  TopAction offer(TopAct act);
  TopAction move(std::ptrdiff_t by);
  TopAction open_detail();
  TopAction leave();
  void group();
  TopRows::Jobs shown() const;

  TopRows rows_;
  TopSelection selection_;
  std::vector<TopGroup> groups_;
  std::vector<TopFar> far_;
  Mode mode_ = Mode::list, below_ = Mode::list;  // below: where filter, help and confirm return to
  TopDetail detail_;
  std::string filter_, filter_before_, message_, question_, machines_;
  TopAction asked_first_;
};

}  // namespace luzia
