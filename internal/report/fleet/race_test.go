//go:build race

package fleet_test

// race: the detector makes rehearsals, which have one goroutine, ten times as slow.
const race = true
