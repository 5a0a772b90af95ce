// Actions that only a newer client knows.
#include <gtest/gtest.h>

#include "tools/luziad/intake/request_table.h"

namespace luzia {
namespace {

/// The code with which the request is refused before anything is looked up; empty: it is not.
template <class Request>
std::string refusal_of(int action) {
  Request request;
  request.action = static_cast<decltype(request.action)>(action);
  wire::ClientFrameT frame;
  frame.request.Set(std::move(request));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::ClientFrame::Pack(builder, &frame));
  Caller root;
  root.trusted = true;
  const Status checked =
      find_request(frame.request.type)
          ->check(root, *flatbuffers::GetRoot<wire::ClientFrame>(builder.GetBufferPointer()));
  return checked ? std::string() : checked.error().code;
}

template <class Request>
void expect_only_known_actions() {
  constexpr int kLast = static_cast<int>(decltype(Request::action)::MAX);
  for (int action = 0; action <= kLast; ++action) EXPECT_NE(refusal_of<Request>(action), "unknown_action");
  for (const int action : {kLast + 1, 255}) EXPECT_EQ(refusal_of<Request>(action), "unknown_action");
}

/// An unknown action on the queue must not resume it, nor one on jobs hold them, nor one on a todo end it;
/// and one on the daemon must not leave its client waiting.
TEST(RequestActions, UnknownOnesAreRefused) {
  expect_only_known_actions<wire::ActOnJobsT>();
  expect_only_known_actions<wire::ActOnQueueT>();
  expect_only_known_actions<wire::ActOnFlowT>();
  expect_only_known_actions<wire::ActOnTodoT>();
  expect_only_known_actions<wire::ActOnScheduleT>();
  expect_only_known_actions<wire::ControlT>();
}

}  // namespace
}  // namespace luzia
