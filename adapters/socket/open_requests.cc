#include "adapters/socket/open_requests.h"

namespace luzia {
namespace {

// More than the number of others can reach.
constexpr std::uint64_t kOpenEnded = std::uint64_t{1} << 32;

/// Whether this frame completes the answer to its request.
bool is_last(const wire::ServerFrame& frame) {
  switch (frame.reply_type()) {
    case wire::Reply::NONE:
      return false;
    case wire::Reply::Welcome:
    case wire::Reply::Accepted:
    case wire::Reply::Refused:
    case wire::Reply::PairingOffered:
    case wire::Reply::DeviceAdmitted:
    case wire::Reply::Groups:
      return true;
    case wire::Reply::Rows:
      return frame.reply_as_Rows()->last();
    case wire::Reply::Events:
      return frame.reply_as_Events()->caught_up();
    case wire::Reply::Output:
      return frame.reply_as_Output()->last();
    case wire::Reply::Progressed:
      return frame.reply_as_Progressed()->last();
  }
  return false;
}

}  // namespace

void OpenRequests::asked(const wire::ClientFrame& frame) {
  const wire::Follow* follow = frame.request_as_Follow();
  if (follow != nullptr && follow->live()) {
    count_ += kOpenEnded;
  } else if (frame.request_type() != wire::Request::Forget) {
    ++count_;
  }
}

void OpenRequests::answered(const wire::ServerFrame& frame) {
  if (count_ > 0 && is_last(frame)) --count_;
}

}  // namespace luzia
