// One line on standard error that says what is being done; only where a person sees it. Main thread.
#pragma once

#include <string>

namespace luzia::bench {

/// Replaces the line shown before.
void show_progress(const std::string& what);
/// The same with a bar: `done` of `total`.
void show_progress(const std::string& what, double done, double total);
void clear_progress();

}  // namespace luzia::bench
