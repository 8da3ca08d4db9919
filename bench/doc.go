// Package bench measures retrygen's runtime side by side with what a user would
// write or pick instead. Trust the ratios of one run, not single figures:
//
//	make bench
package bench
