// The database of a fleet, as a configuration names it: in what we accept, libpq, which connects to it, finds
// no password either, and what people are shown has no control characters.
#include <libpq-fe.h>

#include <memory>
#include <string>

#include "adapters/config/database_url.h"
#include "adapters/postgres/postgres.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  const std::string url(input);
  const std::string shown = shown_database(url);
  require(shown.find_first_of(std::string("\0\n\r\x1b\x7f", 5)) == std::string::npos,
          "nothing shown moves a cursor");
  if (!check_database_url(url)) return;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> words(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (!words) return;
  for (const PQconninfoOption* word = words.get(); word->keyword != nullptr; ++word) {
    const std::string name = word->keyword;
    const bool is_secret = name == "password" || name == "sslpassword";
    require(!is_secret || word->val == nullptr || *word->val == '\0', "no password is accepted");
  }
}
