// Package telephony sends login codes by SMS: the client of a telephony provider
// whose requests cost money, where each send bears a key that the provider knows
// again.
package telephony

//go:generate go -C ../.. run ./cmd/retrygen generate --config examples/telephony/retrygen.yaml
