// Which requests a device may make, by its role.
#include <gtest/gtest.h>

#include <set>

#include "tools/luziad/intake/request_table.h"

namespace luzia {
namespace {

using wire::Request;

/// What each role may do beside what the one before may. Everything else no device may.
const std::set<Request> kReads = {
    Request::Query,  Request::Wait,    Request::Follow,        Request::Tail,         Request::AwaitInput,
    Request::Forget, Request::Control, Request::PreviewPrompt, Request::RevokeDevice, Request::ActOnPush};
const std::set<Request> kActs = {Request::Dispatch,       Request::ActOnJobs,      Request::ActOnQueue,
                                 Request::AnswerQuestion, Request::CancelQuestion, Request::DecideApproval,
                                 Request::CancelApproval, Request::CreateFlow,     Request::ActOnFlow,
                                 Request::ActOnTodo,      Request::ClearAlerts,    Request::TellJob,
                                 Request::ActOnSchedule};
const std::set<Request> kAdmits = {Request::OfferPairing};

TEST(DeviceRights, RoleSaysWhichRequestsADeviceMayMake) {
  for (const Request kind : wire::EnumValuesRequest()) {
    const RequestRow* row = find_request(kind);
    if (row == nullptr) continue;  // NONE and Hello
    const bool reads = kReads.contains(kind), acts = kActs.contains(kind), admits = kAdmits.contains(kind);
    const char* name = wire::EnumNameRequest(kind);
    EXPECT_EQ(is_of_device(*row, schema::DeviceRole::viewer), reads) << name;
    EXPECT_EQ(is_of_device(*row, schema::DeviceRole::operator_), reads || acts) << name;
    EXPECT_EQ(is_of_device(*row, schema::DeviceRole::admin), reads || acts || admits) << name;
  }
}

}  // namespace
}  // namespace luzia
