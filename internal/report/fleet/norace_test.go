//go:build !race

package fleet_test

const race = false
