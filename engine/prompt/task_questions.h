// Recognizes tasks that ask for knowledge from outside the project. Rules are narrow on purpose: advice that
// comes with every task is advice that nobody reads. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// One sentence for each class that the task belongs to; most tasks belong to none:
/// - it asks how to do something with a technology: "How to set up webpack"
/// - a package manager fails to install something: "npm install fails with EACCES"
/// - it begins with setting up a technology, and names no file: "Configure nginx"
/// - it is a question about a technology: "React hooks question"
/// - it has the text of an error: "TypeError: Cannot read properties of undefined". Only if `errors` is true.
/// - it asks for a choice of architecture: "Microservices or a monolith?"
/// Words that point into the project (our, this, here) make it a question about the project, which no search
/// answers.
std::vector<std::string> task_questions(std::string_view task, bool errors);

}  // namespace luzia
