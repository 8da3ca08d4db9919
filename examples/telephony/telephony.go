// Package telephony sends login codes by SMS: the clients of a telephony provider
// whose requests cost money, where each send bears a key that the provider knows
// again; and around them a gateway, see the README.
package telephony

//go:generate go -C ../.. run ./cmd/retrygen generate --config examples/telephony/retrygen.yaml --config examples/telephony/notify/retrygen.yaml
