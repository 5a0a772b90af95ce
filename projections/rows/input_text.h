// What questions, approvals and the workspace's events say, in one sentence for people each: a part of
// event_text(). Texts in blobs are never told here; options, gates and notes are as agents and people wrote
// them.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// All three take the event of that domain: who did it is in the sentence.
std::string question_text(const schema::Event& event);
std::string approval_text(const schema::Event& event);
std::string workspace_text(const schema::Event& event);

/// Whether it changed, or may change, what becomes of the files; not the making and removing of copies.
bool explains_files(const schema::WorkspaceEvent& workspace);

}  // namespace luzia
