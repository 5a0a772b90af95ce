// What the agent of a job has read on the web, from its tool calls.
#include "tools/luziad/intake/web_references.h"

#include "tests/matchers.h"
#include "tests/packed_event.h"

namespace luzia {
namespace {

class WebReferencesTest : public testing::Test {
 protected:
  template <class Fact>
  void take(Fact fact) {
    references_.take(*PackedEvent(job_event("k1", std::move(fact))));
  }
  void call(const std::string& id, const std::string& tool, const std::string& subject) {
    schema::ToolCalledT fact;
    fact.call_id = id;
    fact.tool = tool;
    fact.subject = subject;
    take(std::move(fact));
  }
  void returned(const std::string& id, bool succeeded = true) {
    schema::ToolReturnedT fact;
    fact.call_id = id;
    fact.succeeded = succeeded;
    take(std::move(fact));
  }

  WebReferences references_;
};

TEST_F(WebReferencesTest, PagesAndSearchesThatSucceededCount) {
  call("1", "WebSearch", "react hooks rules");
  call("2", "WebFetch", "https://react.dev/reference");
  call("3", "WebFetch", "https://example.com/missing");
  call("4", "Bash", "curl https://example.com");
  returned("2");
  returned("1");
  returned("3", false);
  returned("4");
  EXPECT_THAT(references_.newest(10),
              ElementsAre("https://react.dev/reference", "search: react hooks rules"));
  EXPECT_THAT(references_.newest(1), ElementsAre("search: react hooks rules"));
}

TEST_F(WebReferencesTest, PageReadTwiceIsNamedOnce) {
  for (const char* id : {"1", "2"}) {
    call(id, "web_fetch", "https://a.example");
    returned(id);
    call("s", "web_fetch", "https://b.example");
    returned("s");
  }
  EXPECT_THAT(references_.newest(10), ElementsAre("https://a.example", "https://b.example"));
}

TEST_F(WebReferencesTest, SubjectsThatAreNoLineAreLeftOut) {
  call("1", "WebSearch", "two\nlines");
  call("2", "WebSearch", "");
  returned("1");
  returned("2");
  EXPECT_THAT(references_.newest(10), IsEmpty());
}

}  // namespace
}  // namespace luzia
