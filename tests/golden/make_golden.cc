// make_golden SCHEMA_FOLDER > release-N.txt: the golden log of a release, from its frozen schema.
#include <cstdio>

#include "tests/golden/golden_log.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_golden SCHEMA_FOLDER > release-N.txt\n", stderr);
    return 2;
  }
  const auto text = luzia::test::make_golden(argv[1]);
  if (!text) {
    std::fprintf(stderr, "make_golden: %s\n", text.error().message.c_str());
    return 5;
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}
