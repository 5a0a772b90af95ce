// Read by the address sanitizer's runtime, in builds with it only. Tests kill luzia-run at each of its system
// calls; one whose leak checker is killed while it looks at the end would wait for it for ever.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier): the runtime's name
  return "detect_leaks=0";
}
