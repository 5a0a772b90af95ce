#include "adapters/socket/fleet_frame.h"

namespace luzia {
namespace {

constexpr unsigned kMaxFleetTables = 400'000;  // rows of a frame

template <class Frame>
Result<const Frame*> parsed_fleet_frame(Bytes frame) {
  flatbuffers::Verifier verifier(frame.data(), frame.size(), 16, kMaxFleetTables);
  if (verifier.VerifyBuffer<Frame>(nullptr)) return flatbuffers::GetRoot<Frame>(frame.data());
  return fail(ErrorKind::usage, "bad_frame",
              "reading a frame of " + std::to_string(frame.size()) + " bytes: it is none of luzia-fleet read",
              "use the same version of all programs of luzia");
}

}  // namespace

Result<const wire::FleetQuestion*> parse_fleet_question(Bytes frame) {
  return parsed_fleet_frame<wire::FleetQuestion>(frame);
}

Result<const wire::FleetAnswer*> parse_fleet_answer(Bytes frame) {
  return parsed_fleet_frame<wire::FleetAnswer>(frame);
}

}  // namespace luzia
