// Lines that ask for input, and lines that only look like it.
#include "tools/luziad/watching/prompt_line.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(PromptLine, PromptsAreRecognized) {
  for (const char* line :
       {"Do you want to continue? [Y/n] ", "Proceed (y/n)?", "Overwrite? [y/N]:", "[sudo] password for ann: ",
        "Enter passphrase for key '/home/ann/.ssh/id_ed25519':", "Username for 'https://github.com': ",
        "Password:", "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
        "Press any key to continue . . .", "-- Press ENTER to continue --", "Verification code:"}) {
    EXPECT_TRUE(looks_like_prompt(line)) << line;
  }
}

TEST(PromptLine, OrdinaryLinesDoNotAsk) {
  for (const char* line :
       {"", " ", "[", "]", "()", "y/n", "test_password_prompt PASSED", "The password: see the vault",
        "usage: tool [-y/-n] FILE", "error: wrong password",
        "Press any key events are handled by the widget class", "options are [yes/no/maybe]",
        "Compiling [y/n", "warning: username:password in URL"}) {
    EXPECT_FALSE(looks_like_prompt(line)) << line;
  }
  EXPECT_FALSE(looks_like_prompt(std::string(10'000, 'x') + " [Y/n]"));
}

}  // namespace
}  // namespace luzia
