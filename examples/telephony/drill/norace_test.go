//go:build !race

package drill_test

const race = false
