// [fleet]: what is read, and that no password gets into the configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/config/database_url.h"
#include "tests/adapters/config/parsed_config.h"

namespace luzia {
namespace {

using testing::HasSubstr;

std::string code_of(const Status& status) {
  return status ? "good" : status.error().code;
}

TEST(Fleet, IsReadAndShown) {
  const Config config = config_of(
      "[fleet]\nurl = \"postgresql://luzia_web1@a:5432,b/fleet?sslmode=verify-full\"\nsite = \"web-1.lan\"\n"
      "password_file = \"/etc/luzia/pw\"\n");
  EXPECT_EQ(config.fleet.url, "postgresql://luzia_web1@a:5432,b/fleet?sslmode=verify-full");
  EXPECT_EQ(config.fleet.site, "web-1.lan");
  EXPECT_EQ(config.fleet.password_file, "/etc/luzia/pw");
  EXPECT_EQ(show_config(config_of(show_config(config))), show_config(config));
  EXPECT_TRUE(config_of("").fleet.url.empty());
  EXPECT_TRUE(config_of("[fleet]\nurl = \"\"\n").fleet.url.empty());
}

TEST(Fleet, OrdersAreOffByDefaultAndChecked) {
  EXPECT_TRUE(config_of("[fleet]\nurl = \"service=x\"\n").fleet.orders.empty());
  const Config config = config_of(
      "[fleet]\nurl = \"service=x\"\npeople_url = \"postgresql://ana@db/x\"\n"
      "orders = [\"dispatch\", \"cancel\"]\nlabels = [\"gpu\"]\n");
  EXPECT_EQ(config.fleet.orders, (std::vector<std::string>{"dispatch", "cancel"}));
  EXPECT_EQ(config.fleet.labels, std::vector<std::string>{"gpu"});
  EXPECT_EQ(config.fleet.people_url, "postgresql://ana@db/x");
  EXPECT_EQ(show_config(config_of(show_config(config))), show_config(config));
  EXPECT_EQ(config_of("[fleet]\npeople_url = \"service=x\"\n").fleet.people_url, "service=x");
  for (const auto& [line, why] : std::vector<std::pair<std::string, std::string>>{
           {"orders = [\"stop\"]", "has 'stop', which is no kind of order"},
           {"labels = [\"any\"]", "has 'any', which cannot be a label"},
           {"labels = [\"a,b\"]", "cannot be a label"},
           {"people_url = \"postgresql://ana:pw@db/x\"", "has a password in it"}}) {
    EXPECT_THAT(config_error_of("[fleet]\nurl = \"service=x\"\n" + line + "\n").message, HasSubstr(why))
        << line;
  }
}

TEST(Fleet, AddressesOfDatabasesAreTaken) {
  for (const char* url : {"postgresql://db.lan/fleet", "postgres://ana@[::1]:5433/fleet",
                          "postgresql:///fleet?host=/run/postgresql", "postgresql://", "service=fleet",
                          "host=db user = 'a b' dbname=fleet", "host='it\\'s' ",
                          "postgresql://h/d?passfile=/x&options=-c%20password_encryption"}) {
    EXPECT_EQ(code_of(check_database_url(url)), "good") << url;
  }
}

TEST(Fleet, PasswordsInTheUrlAreRefusedAndNeverQuoted) {
  const std::string secret = "hunter2";
  for (const std::string& url :
       {"postgresql://ana:" + secret + "@db.lan/fleet", "postgres://:" + secret + "@db.lan",
        "postgresql://ana:a/" + secret + "@db.lan/fleet", "postgresql://ana?:" + secret + "@db.lan/fleet",
        "postgresql://h/d?sslmode=require&password=" + secret, "postgresql://h/d?password=" + secret + "&x=y",
        "postgresql://h/d?sslpassword=" + secret, "host=db password=" + secret,
        "host=db   password  =  '" + secret + "'", "user='a password=b' sslpassword=" + secret}) {
    const Status checked = check_database_url(url);
    ASSERT_EQ(code_of(checked), "bad_database_url") << url;
    EXPECT_THAT(checked.error().message, HasSubstr("has a password in it")) << url;
    EXPECT_THAT(checked.error().hint, HasSubstr("password_file"));
    const Error whole = config_error_of("[fleet]\nurl = \"" + url + "\"\n");
    EXPECT_THAT(whole.message, HasSubstr("luzia.toml:2:7: [fleet] url has a password in it"));
    EXPECT_EQ((whole.message + whole.hint).find(secret), std::string::npos) << whole.message;
  }
  EXPECT_EQ(code_of(check_database_url("postgresql://h/d?pass%77ord=x")), "bad_database_url");
}

TEST(Fleet, WhatIsNoAddressIsRefused) {
  for (const std::string& url :
       {std::string("db.lan"), std::string(" "), std::string("mysql://h/d"), std::string("=x"),
        std::string("host='db"), std::string("postgresql://h/my db"), std::string("postgresql://h/d\n"),
        std::string("postgresql://ana?x@h/d"), "postgresql://" + std::string(8'000, 'h')}) {
    EXPECT_EQ(code_of(check_database_url(url)), "bad_database_url") << url;
  }
}

TEST(Fleet, FaultsAreOneLineWithTheirPlace) {
  struct Fault {
    std::string toml, message, hint;
  };
  const std::string url = "[fleet]\nurl = \"service=fleet\"\n";
  const std::vector<Fault> faults = {
      {"[fleet]\nsite = \"a\"\n", "luzia.toml:2:8: [fleet] has no url", "postgresql://"},
      {"[fleet]\npassword_file = \"/a\"\n", "luzia.toml:2:17: [fleet] has no url", "postgresql://"},
      {url + "site = \"a b\"\n", "luzia.toml:3:8: [fleet] site is 'a b', which cannot be a name", "letters"},
      {url + "site = \"-a\"\n", "cannot be a name", "first"},
      {url + "site = \"" + std::string(64, 'a') + "\"\n", "cannot be a name", "63"},
      {url + "password_file = \"pw\"\n", "fleet.password_file", ""},
      {url + "sites = \"a\"\n", "unknown key 'sites'", "did you mean site?"},
      {"[fleet]\nurl = 3\n", "fleet.url is", ""},
  };
  for (const Fault& fault : faults) {
    const Error error = config_error_of(fault.toml);
    EXPECT_THAT(error.message, HasSubstr(fault.message)) << fault.toml;
    EXPECT_THAT(error.hint, HasSubstr(fault.hint)) << fault.toml;
    EXPECT_EQ(error.message.find("more;"), std::string::npos) << "one fault, told once: " << error.message;
  }
}

}  // namespace
}  // namespace luzia
