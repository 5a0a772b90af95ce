// A read that nobody waits for. The command runs with the answers so far, and again when there is one more:
// it only asks and prints, so each run repeats the one before until its next question. One thread at a time.
// Rejected: a coroutine. Commands are plain functions, which the command line runs too.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "projections/rows/row_page.h"
#include "tools/luzia-web/readings.h"

namespace luzia::web {

class SteppedReading {
 public:
  /// `socket`: of the daemon.
  SteppedReading(std::string socket, const Match& match, const Request& request);

  /// Whether the next step takes little time: few questions, small answers, nothing of the past.
  bool is_light() const;
  /// The answer, or the question whose answer take() wants.
  std::variant<Answer, wire::QueryT> step();
  void take(Result<RowPage> page);
  /// The answer. What is still to be asked, the command asks this place, which may wait for the daemon.
  Answer finish(const ReadPlace& place);

 private:
  /// What the command prints; not all of it if there is a question.
  Result<std::string> run(const std::function<Result<std::unique_ptr<Source>>()>& others,
                          std::optional<wire::QueryT>* question);

  std::string socket_;
  Request request_;  // its address alone
  Result<ReadCommand> command_;
  bool small_ = true;
  std::size_t bytes_ = 0;  // of the answers
  std::vector<Result<RowPage>> answers_;
};

}  // namespace luzia::web
