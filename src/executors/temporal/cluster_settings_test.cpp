#include "executors/temporal/cluster_settings.hpp"

#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::workflows {
namespace {

using ::testing::ElementsAre;

std::vector<ClusterSettings> clusters_in(std::string_view text, Problems& problems) {
  return read_clusters(parse_yaml(text).value().root, "/clusters", problems);
}

std::vector<std::string> faults_in(std::string_view text) {
  Problems problems;
  static_cast<void>(clusters_in(text, problems));
  std::vector<std::string> found;
  for (const Problem& problem : problems) found.push_back(problem.pointer + " " + std::string{problem.code});
  return found;
}

TEST(ClusterSettings, say_where_a_cluster_is_and_how_it_is_reached) {
  Problems problems;

  const auto clusters = clusters_in(R"(
plain: {address: "localhost:7233"}
cloud: {address: "[2001:db8::1]:443", namespace: acme.prod, web: "https://cloud.example/", apiKey: "${secret:temporal}",
        tls: {ca: /ca.pem, certificate: /c.pem, key: /k.pem, serverName: acme}}
)",
                                    problems);

  ASSERT_TRUE(problems.empty()) << problems.front().message;
  EXPECT_EQ(clusters[0], (ClusterSettings{.name = "plain", .host = "localhost", .port = "7233"}));
  EXPECT_EQ(clusters[1], (ClusterSettings{.name = "cloud",
                                          .host = "2001:db8::1",
                                          .port = "443",
                                          .name_space = "acme.prod",
                                          .tls = ClusterTls{.ca_file = "/ca.pem",
                                                            .certificate_file = "/c.pem",
                                                            .key_file = "/k.pem",
                                                            .server_name = "acme"},
                                          .web = "https://cloud.example",
                                          .api_key = "${secret:temporal}"}));
}

TEST(ClusterSettings, may_say_where_a_cluster_reaches_this_server) {
  Problems problems;

  const auto clusters =
      clusters_in("a: {address: \"h:1\", callbackUrl: \"https://carillon.example.com:7070/\"}", problems);

  EXPECT_EQ(clusters[0].callback_url, "https://carillon.example.com:7070");
  EXPECT_THAT(faults_in("a: {address: \"h:1\", callbackUrl: \"carillon:7070\"}"),
              ElementsAre("/clusters/a/callbackUrl invalid-address"));
}

TEST(ClusterSettings, a_key_is_not_sent_without_tls_unless_that_is_said) {
  Problems problems;
  EXPECT_TRUE(clusters_in("{a: {address: 'h:1', apiKey: '${env:K}'}}", problems)[0].tls);
  EXPECT_FALSE(clusters_in("{a: {address: 'h:1', apiKey: '${env:K}', tls: false}}", problems)[0].tls);
  EXPECT_TRUE(clusters_in("{a: {address: 'h:1', tls: true}}", problems)[0].tls);
  EXPECT_TRUE(problems.empty());
}

TEST(ClusterSettings, are_refused_with_the_place_of_the_fault) {
  EXPECT_THAT(faults_in("{a: {}}"), ElementsAre("/clusters/a/address invalid-address"));
  EXPECT_THAT(faults_in("{a: {address: 'h:1', web: 'javascript:alert(1)'}}"),
              ElementsAre("/clusters/a/web invalid-address"));
  EXPECT_THAT(faults_in("{a: {address: host}}"), ElementsAre("/clusters/a/address invalid-address"));
  EXPECT_THAT(faults_in("{a: {address: 'h:1', apiKey: abc}}"), ElementsAre("/clusters/a/apiKey plain-secret"));
  EXPECT_THAT(faults_in("{a: {address: 'h:1', tls: {certificate: c}}}"),
              ElementsAre("/clusters/a/tls/certificate missing"));
  EXPECT_THAT(faults_in("{a: {address: 'h:1', port: 7}}"), ElementsAre("/clusters/a/port unknown-key"));
  EXPECT_THAT(faults_in("5"), ElementsAre("/clusters not-an-object"));
}

}  // namespace
}  // namespace carillon::workflows
