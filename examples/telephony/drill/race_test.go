//go:build race

package drill_test

// race: the detector makes a drill of 90,000 logins ten times as slow.
const race = true
