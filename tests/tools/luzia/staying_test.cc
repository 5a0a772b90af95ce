// Staying with a job until its end: the exit code, the time, and what is sent again to the next daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

constexpr const char* kStayed = "0kx8aaaaaaaaa";

view::JobT ended_with(schema::JobState state, int code) {
  view::JobT row = job(kStayed, state);
  row.attempt = 1;
  row.exit_code = code;
  return row;
}

std::vector<wire::ReplyUnion> always(const wire::ClientFrameT& frame, const view::JobT& row) {
  return std::vector{frame.request.AsDispatch() != nullptr ? accepted({kStayed}) : job_rows({row})};
}

TEST_F(Program, AJobThatDidNotCompleteIsNoSuccessWhateverItsProcessEndedWith) {
  using enum schema::JobState;
  view::JobT row;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.AsTail() == nullptr) return always(frame, row);
    wire::OutputT end;
    end.last = true;
    return std::vector{reply_of(std::move(end))};
  });
  const auto expect_code = [&](int code) {
    EXPECT_EQ(run({"wait", kStayed, "--exit-code"}).code, code) << schema::EnumNameJobState(row.state);
    EXPECT_EQ(run({"dispatch", "web", "x", "--wait", "--exit-code"}).code, code);
    EXPECT_EQ(run({"dispatch", "web", "x", "--fg"}).code, code);
  };
  for (const auto state : {failed, timed_out, killed, lost}) {
    row = ended_with(state, 0);
    expect_code(1);
    row = ended_with(state, 6);
    expect_code(6);
  }
  row = ended_with(completed, 0);
  expect_code(0);
  row = ended_with(completed, 3);  // exit_codes of its agent take it for a success
  expect_code(3);
}

}  // namespace
}  // namespace luzia
