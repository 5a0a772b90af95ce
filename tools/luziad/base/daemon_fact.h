// What the daemon says of itself, for luzia daemon status and luzia doctor. Any thread.
#pragma once

#include <string>
#include <utility>

#include "protocol.fb.h"

namespace luzia {

/// Without a text there is nothing to say.
inline wire::DaemonFactT daemon_fact(wire::DaemonTopic topic, std::string title, std::string text,
                                     wire::FactState state = wire::FactState::good) {
  wire::DaemonFactT fact;
  fact.topic = topic;
  fact.state = state;
  fact.title = std::move(title);
  fact.text = std::move(text);
  return fact;
}

}  // namespace luzia
