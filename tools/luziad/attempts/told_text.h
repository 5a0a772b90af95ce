// What people and other agents say to a job's agent, and what it hears of the agent before it, as its model
// reads it. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

struct Said {
  std::string from;      // account or person
  std::string from_job;  // whose agent says it; empty: `from` does
  std::string words;
  bool may_be_read = false;  // before its agent died
};

/// Each line of the words stands behind "> ", so that none can pass for another message or for what Luzia
/// says. Characters that would end a line in another way, or hide or reorder others, are shown instead.
std::string quoted_lines(const std::string& said);

/// What an agent hears of the last one that worked on the job before it.
struct Handover {
  std::string from;        // that agent
  bool is_itself = false;  // in another session
  std::string words;       // the last that it said; empty: nothing
};
std::string handover_text(const Handover& handover);

/// The messages, with their words quoted_lines().
std::string told_text(const std::vector<Said>& said);

/// At most about `most` bytes of such a text. Because all of it counts as read, its end then says that it is
/// cut, and which command shows the whole.
std::string bounded_told(std::string text, std::size_t most, const std::string& job);

}  // namespace luzia
