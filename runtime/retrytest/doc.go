// Package retrytest is a test kit for users of generated clients: a server that
// fails as its script says, one step per attempt.
//
//	server := retrytest.NewServer(t, retrytest.Status(503), retrytest.LoseAnswer(), retrytest.JSON(200, `{"id":"7"}`))
//	client, err := pets.New(pets.Config{
//		BaseURL:  server.URL(),
//		Upstream: runtime.UpstreamConfig{Transport: server.Transport()},
//	})
//	...
//	require.Len(t, server.Requests(), 3)
//
// The server speaks HTTP/1.1 on loopback; [Config] makes it speak TLS or HTTP/2,
// or do without a network, for tests in virtual time (testing/synctest). It
// records what it read of each request, and fails the test if more requests come
// than the script has steps: an attempt that nobody counted is a fault, too.
//
// Import it from tests only.
package retrytest
