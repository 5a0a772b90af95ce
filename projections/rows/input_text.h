// Sentences for events of questions, approvals and the workspace, as part of event_text(). They never contain
// texts from blobs. Options, gates and notes are as agents and people wrote them. Pure, any thread.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// All three take an event of that domain; the sentence says who did it.
std::string question_text(const schema::Event& event);
std::string approval_text(const schema::Event& event);
std::string workspace_text(const schema::Event& event);

/// Whether it changed or may change files of the work; creating and removing copies does not count.
bool explains_files(const schema::WorkspaceEvent& workspace);

}  // namespace luzia
