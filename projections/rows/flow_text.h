// Events of flows as sentences. Any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

std::string flow_text(const schema::FlowEvent& flow);

}  // namespace luzia
