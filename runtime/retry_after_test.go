package runtime

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var retryAfterNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestParseRetryAfter knows two forms, and measures a date against the response's
// own (RULE-RETRY-AFTER-1, RULE-RETRY-AFTER-2, RULE-RETRY-AFTER-5).
func TestParseRetryAfter(t *testing.T) {
	valid := func(d time.Duration) RetryAfter { return RetryAfter{State: RetryAfterValid, Delay: d} }
	malformed := RetryAfter{State: RetryAfterMalformed}
	const date = "Sun, 01 Mar 2026 13:00:00 GMT" // an hour ahead by this response's clock
	for _, test := range []struct {
		name   string
		values []string
		date   []string
		want   RetryAfter
	}{
		{"absent", nil, nil, RetryAfter{}},
		{"seconds", []string{"120"}, nil, valid(2 * time.Minute)},
		{"zero", []string{"0"}, nil, valid(0)},
		{"leading zeros", []string{"007"}, nil, valid(7 * time.Second)},
		{"white space", []string{" 5\t"}, nil, valid(5 * time.Second)},
		{"the same twice", []string{"5", " 5"}, nil, valid(5 * time.Second)},
		{"largest", []string{"9223372036"}, nil, valid(9223372036 * time.Second)},
		{"overflow", []string{"9223372037"}, nil, valid(math.MaxInt64)},
		{"overflow of any length", []string{strings.Repeat("9", 1000)}, nil, valid(math.MaxInt64)},
		{"seconds against no date", []string{"3"}, []string{"Mon, 01 Jan 2001 00:00:00 GMT"}, valid(3 * time.Second)},

		{"IMF-fixdate", []string{"Sun, 01 Mar 2026 12:00:10 GMT"}, nil, valid(10 * time.Second)},
		{"RFC 850", []string{"Sunday, 01-Mar-26 12:00:10 GMT"}, nil, valid(10 * time.Second)},
		{"asctime", []string{"Sun Mar  1 12:00:10 2026"}, nil, valid(10 * time.Second)},
		{"RFC 850 within 50 years", []string{"Saturday, 01-Jan-72 00:00:00 GMT"}, nil, malformed}, // 1972; 2072 begins on a Friday
		{"RFC 850 of the next decades", []string{"Friday, 01-Jan-72 00:00:00 GMT"}, nil,
			valid(time.Date(2072, 1, 1, 0, 0, 0, 0, time.UTC).Sub(retryAfterNow))},
		{"RFC 850 of the last century", []string{"Sunday, 06-Nov-94 08:49:37 GMT"}, nil, valid(0)},
		{"RFC 850 leap day of neither century", []string{"Thursday, 29-Feb-01 08:49:37 GMT"}, nil, malformed},
		{"past", []string{"Sun, 01 Mar 2026 11:59:59 GMT"}, nil, valid(0)},
		{"far future", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, nil, valid(math.MaxInt64)},
		{"against the response's date", []string{date}, []string{"Sun, 01 Mar 2026 12:59:50 GMT"}, valid(10 * time.Second)},
		{"past by the response's date", []string{date}, []string{"Sun, 01 Mar 2026 13:00:01 GMT"}, valid(0)},
		{"the response's date is malformed", []string{date}, []string{"yesterday"}, valid(time.Hour)},
		{"the response has two dates", []string{date}, []string{"Sun, 01 Mar 2026 12:59:50 GMT", date}, valid(time.Hour)},

		{"empty", []string{""}, nil, malformed},
		{"negative", []string{"-1"}, nil, malformed},
		{"positive", []string{"+1"}, nil, malformed},
		{"fraction", []string{"1.5"}, nil, malformed},
		{"hexadecimal", []string{"0x10"}, nil, malformed},
		{"exponent", []string{"1e3"}, nil, malformed},
		{"unit", []string{"10s"}, nil, malformed},
		{"other digits", []string{"１２"}, nil, malformed},
		{"two in one", []string{"5, 5"}, nil, malformed},
		{"two that differ", []string{"5", "6"}, nil, malformed},
		{"two forms", []string{"10", "Sun, 01 Mar 2026 12:00:10 GMT"}, nil, malformed},
		{"the second is malformed", []string{"5", "x"}, nil, malformed},
		{"zone", []string{"Sun, 01 Mar 2026 12:00:10 PST"}, nil, malformed},
		{"zone in numbers", []string{"Sun, 01 Mar 2026 12:00:10 +0100"}, nil, malformed},
		{"UTC", []string{"Sunday, 01-Mar-26 12:00:10 UTC"}, nil, malformed},
		{"zone in RFC 850", []string{"Sunday, 01-Mar-26 12:00:10 PST"}, nil, malformed},
		{"GMT+1", []string{"Sunday, 01-Mar-26 12:00:10 GMT+1"}, nil, malformed},
		{"fraction of a second", []string{"Sun, 01 Mar 2026 12:00:10.5 GMT"}, nil, malformed},
		{"false weekday", []string{"Mon, 01 Mar 2026 12:00:10 GMT"}, nil, malformed},
		{"no such day", []string{"Sun, 30 Feb 2026 12:00:10 GMT"}, nil, malformed},
		{"no such hour", []string{"Sun, 01 Mar 2026 24:00:10 GMT"}, nil, malformed},
		{"RFC 3339", []string{"2026-03-01T12:00:10Z"}, nil, malformed},
		{"lower case", []string{"sun, 01 mar 2026 12:00:10 gmt"}, nil, malformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.values != nil {
				header["Retry-After"] = test.values
			}
			if test.date != nil {
				header["Date"] = test.date
			}
			require.Equal(t, test.want, parseRetryAfter(header, retryAfterNow))
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "120", "-1", strings.Repeat("9", 30), "Sun, 01 Mar 2026 12:00:10 GMT",
		"Sunday, 01-Mar-26 12:00:10 GMT", "Tuesday, 29-Feb-00 00:00:00 GMT", "Sun Mar  1 12:00:10 2026"} {
		f.Add(seed, "", int64(0))
		f.Add("10", seed, int64(1_800_000_000))
		f.Add(seed, seed, int64(-1))
	}
	f.Fuzz(func(t *testing.T, value, date string, now int64) {
		header := http.Header{"Retry-After": {value}, "Date": {date}}
		got := parseRetryAfter(header, time.Unix(now, 0))
		require.NotEqual(t, RetryAfterAbsent, got.State)
		require.GreaterOrEqual(t, got.Delay, time.Duration(0))
		if got.State == RetryAfterMalformed {
			require.Zero(t, got.Delay)
			return
		}
		// What is valid begins with a digit or a weekday.
		first := strings.Trim(value, " \t")[0]
		require.True(t, first >= '0' && first <= '9' || strings.ContainsRune("MTWFS", rune(first)), value)
		op := backoff(time.Millisecond, time.Second, 2, FullJitter)
		require.GreaterOrEqual(t, op.delay(1, 0, got, [2]uint64{}), got.Delay)
	})
}
