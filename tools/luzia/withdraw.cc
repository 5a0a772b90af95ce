#include "tools/luzia/withdraw.h"

#include "tools/luzia/asking.h"

namespace luzia {

void withdraw_approval(DaemonLink& link, const PutInput& put, const std::string& why) {
  wire::DecideApprovalT denial;
  denial.job = put.job;
  denial.gate = put.id;
  denial.note = why;
  denial.command_id = fresh_command_id();
  [[maybe_unused]] const auto denied = link.order(request_of(std::move(denial)));
}

}  // namespace luzia
