package wire

import (
	"errors"
	"time"
)

// Date is a day of the calendar without a time or a zone, a full-date of RFC
// 3339. Dates compare with ==; the zero value is January 1 of the year 1, like
// the zero [time.Time].
type Date struct {
	days int // since 0001-01-01
}

const (
	fullDate      = "2006-01-02"
	secondsPerDay = 24 * 60 * 60
)

// zeroUnix is 0001-01-01 in Unix seconds.
var zeroUnix = time.Time{}.Unix()

// NewDate is a date. Values out of range overflow into the next unit, as in
// [time.Date]. The date of a time is NewDate(t.Date()).
func NewDate(year int, month time.Month, day int) Date {
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return Date{days: int((t.Unix() - zeroUnix) / secondsPerDay)}
}

// ParseDate reads a full-date, such as 2006-01-02. The error does not echo s.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(fullDate, s)
	if err != nil {
		return Date{}, errors.New("not a full-date of RFC 3339, such as " + fullDate)
	}
	return NewDate(t.Date()), nil
}

// Time is the midnight, in UTC, with which the day begins.
func (d Date) Time() time.Time {
	return time.Date(1, time.January, 1+d.days, 0, 0, 0, 0, time.UTC)
}

// String is the date in the form 2006-01-02.
func (d Date) String() string { return d.Time().Format(fullDate) }

// MarshalText writes a full-date. It fails beyond the years 0 to 9999.
func (d Date) MarshalText() ([]byte, error) {
	t := d.Time()
	if year := t.Year(); year < 0 || year > 9999 {
		return nil, errors.New("a full-date of RFC 3339 has a year from 0 to 9999")
	}
	return t.AppendFormat(nil, fullDate), nil
}

// UnmarshalText reads a full-date.
func (d *Date) UnmarshalText(text []byte) error {
	parsed, err := ParseDate(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}
