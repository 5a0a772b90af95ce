// What a person can do to the selected row of luzia top: the action of a key, or why there is none. Pure.
#pragma once

#include <string>

#include "tools/luzia/look/top/rows.h"

namespace luzia {

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

/// With a question the person is asked first; with a message there is nothing to do.
struct TopAct {
  TopAction action = {};
  std::string question = {};  // what the action would do, in words
  std::string message = {};   // why it cannot be done
};

/// `id`: of the selected row, whose needs they are. `number`: of the option, from 1.
TopAct answer_act(const std::string& id, const TopNeeds& needs, int number);
TopAct decision_act(const std::string& id, const TopNeeds& needs, bool approves);
TopAct cancel_act(const view::Job& row, const TopNeeds& needs);
TopAct retry_act(const view::Job& row);
TopAct attach_act(const view::Job& row);

}  // namespace luzia
