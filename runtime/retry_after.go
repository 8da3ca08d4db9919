package runtime

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// RetryAfter is what a response's Retry-After header asks for
// (RULE-RETRY-AFTER). The zero value means that there is none.
type RetryAfter struct {
	State RetryAfterState
	// Delay is the wait asked for, counted from the response; 0 unless State is
	// RetryAfterValid. A wait beyond what a Duration holds is the largest one.
	Delay time.Duration
}

// RetryAfterState tells whether a Retry-After header can be followed.
type RetryAfterState uint8

const (
	RetryAfterAbsent RetryAfterState = iota
	RetryAfterValid
	RetryAfterMalformed
)

// The three forms of an HTTP date. GMT is literal: time.Parse would otherwise
// take any abbreviation for a zone and count it as offset 0.
const (
	rfc850Date  = "Monday, 02-Jan-06 15:04:05 GMT"
	asctimeDate = time.ANSIC
)

// parseRetryAfter reads a response's Retry-After. A date is measured against
// the response's own Date, so that a skewed clock does no harm, or against now
// where the response bears none (RULE-RETRY-AFTER-2).
func parseRetryAfter(header http.Header, now time.Time) RetryAfter {
	values := header["Retry-After"]
	if len(values) == 0 {
		return RetryAfter{}
	}
	value := strings.Trim(values[0], " \t")
	for _, other := range values[1:] {
		if strings.Trim(other, " \t") != value {
			return RetryAfter{State: RetryAfterMalformed}
		}
	}
	if seconds, ok := parseSeconds(value); ok {
		return RetryAfter{State: RetryAfterValid, Delay: seconds}
	}
	date, ok := parseDate(value, now)
	if !ok {
		return RetryAfter{State: RetryAfterMalformed}
	}
	return RetryAfter{State: RetryAfterValid, Delay: max(0, date.Sub(responseDate(header, now)))}
}

// responseDate is the response's Date, or now without a single valid one.
func responseDate(header http.Header, now time.Time) time.Time {
	if values := header["Date"]; len(values) == 1 {
		if date, ok := parseDate(values[0], now); ok {
			return date
		}
	}
	return now
}

// parseSeconds reads digits, and nothing but digits; what overflows saturates.
func parseSeconds(value string) (time.Duration, bool) {
	if value == "" {
		return 0, false
	}
	const most = math.MaxInt64 / int64(time.Second)
	seconds := int64(0)
	for i := range len(value) {
		digit := value[i]
		if digit < '0' || digit > '9' {
			return 0, false
		}
		seconds = min(seconds*10+int64(digit-'0'), most+1)
	}
	if seconds > most {
		return math.MaxInt64, true
	}
	return time.Duration(seconds) * time.Second, true
}

// parseDate reads the three forms of an HTTP date. What does not print back as
// the same text is refused: time.Parse lets fractions of a second and false
// weekdays pass.
func parseDate(value string, now time.Time) (time.Time, bool) {
	for _, layout := range [...]string{http.TimeFormat, rfc850Date, asctimeDate} {
		date, err := time.Parse(layout, value)
		if err != nil {
			continue
		}
		if layout == rfc850Date {
			date = nearestCentury(date, now)
		}
		return date, date.Format(layout) == value
	}
	return time.Time{}, false
}

// nearestCentury reads a year of two digits as RFC 9110 demands: at most 50
// years ahead of now, else the latest past year with these digits.
func nearestCentury(date, now time.Time) time.Time {
	latest := now.UTC().AddDate(50, 0, 0)
	century := latest.Year() - latest.Year()%100
	date = date.AddDate(century-(date.Year()-date.Year()%100), 0, 0)
	if date.After(latest) {
		date = date.AddDate(-100, 0, 0)
	}
	return date
}
