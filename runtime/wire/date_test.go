package wire

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseDate(t *testing.T) {
	for s, want := range map[string]Date{
		"2024-02-29": NewDate(2024, time.February, 29),
		"0000-01-01": NewDate(0, time.January, 1),
		"0001-01-01": {},
		"1969-12-31": NewDate(1969, time.December, 31),
		"9999-12-31": NewDate(9999, time.December, 31),
	} {
		got, err := ParseDate(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got)
		require.Equal(t, s, got.String())
	}
}

func TestParseDateRefuses(t *testing.T) {
	for _, s := range []string{
		"", "2023-02-29", "2024-2-9", "2024-13-01", "2024-00-10", "2024-01-32", "24-01-01", "+2024-01-01",
		"2024-01-01T00:00:00Z", "2024-01-01 ", " 2024-01-01", "2024/01/01", "20240101", "10000-01-01", "-001-01-01",
	} {
		_, err := ParseDate(s)
		require.EqualError(t, err, "not a full-date of RFC 3339, such as 2006-01-02", "%q", s)
	}
}

func TestDateJSON(t *testing.T) {
	type visit struct {
		On    Date  `json:"on"`
		Until *Date `json:"until,omitzero"`
		Gone  Date  `json:"gone,omitzero"`
	}
	var v visit
	require.NoError(t, json.Unmarshal([]byte(`{"on":"2024-02-29"}`), &v))
	require.Equal(t, visit{On: NewDate(2024, time.February, 29)}, v)
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.JSONEq(t, `{"on":"2024-02-29"}`, string(data))

	require.Error(t, json.Unmarshal([]byte(`{"on":"2024-02-30"}`), &v))
	require.Equal(t, NewDate(2024, time.February, 29), v.On, "a refused date changes nothing")
}

func TestDateTime(t *testing.T) {
	zone := time.FixedZone("east", 10*60*60)
	late := time.Date(2024, time.March, 1, 23, 59, 0, 0, zone)
	d := NewDate(late.Date())
	require.Equal(t, NewDate(2024, time.February, 30), d, "days overflow into the month")
	require.Equal(t, time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC), d.Time())
}

func TestDateBeyondFourDigits(t *testing.T) {
	for _, year := range []int{-1, 10_000} {
		_, err := NewDate(year, time.January, 1).MarshalText()
		require.Error(t, err, year)
	}
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"2024-02-29", "2023-02-29", "0000-01-01", "9999-12-31", "2024-1-1", "x"} {
		f.Add(s)
	}
	full := regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDate(s)
		if err != nil {
			require.Equal(t, Date{}, d)
			return
		}
		require.Regexp(t, full, s)
		text, err := d.MarshalText()
		require.NoError(t, err)
		require.Equal(t, s, string(text))
		require.Equal(t, d, NewDate(d.Time().Date()))
	})
}
