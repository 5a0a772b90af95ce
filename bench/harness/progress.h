// Shows one line of progress on standard error, if that is a terminal. Main thread.
#pragma once

#include <string>

namespace luzia::bench {

/// Replaces the previous line.
void show_progress(const std::string& what);
/// The same with a bar for `done` of `total`.
void show_progress(const std::string& what, double done, double total);
void clear_progress();

}  // namespace luzia::bench
