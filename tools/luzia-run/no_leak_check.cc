// Used by the address sanitizer's runtime, only in builds with it. Tests kill luzia-run at each of its system
// calls. If its leak checker were killed during its final scan, luzia-run would wait for it forever.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier): the runtime's name
  return "detect_leaks=0";
}
