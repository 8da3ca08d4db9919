package runtime

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestJoinPath(t *testing.T) {
	op := &Operation{Route: "GET /a/{x}/b/{y}.json"}
	tests := map[string]struct {
		pieces []string
		path   string
		err    string
	}{
		"literal":                       {[]string{"/pets/"}, "/pets/", ""},
		"values":                        {[]string{"/a/", "1", "/b/", "2", ".json"}, "/a/1/b/2.json", ""},
		"empty":                         {[]string{"/a/", "", "/b/", "2", ".json"}, "", "x is empty"},
		"dot":                           {[]string{"/a/", ".", "/b/", "2", ".json"}, "", `x makes a segment "."`},
		"dots":                          {[]string{"/a/", "1", "/b/", ".."}, "", `y makes a segment ".."`},
		"dots from two pieces":          {[]string{"/a/.", "."}, "", `x makes a segment ".."`},
		"dot with a suffix":             {[]string{"/a/", "1", "/b/", ".", ".json"}, "/a/1/b/..json", ""},
		"three dots":                    {[]string{"/a/", "..."}, "/a/...", ""},
		"the document's own dot":        {[]string{"/./a/", "1"}, "/./a/1", ""},
		"an encoded slash stays inside": {[]string{"/a/", "..%2F.."}, "/a/..%2F..", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path, err := joinPath(op, tt.pieces)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.path, path)
		})
	}
}

// TestPathKeepsItsShape: whatever the value, the path has the segments of its
// template (RULE-KEY-VALUES).
func TestPathKeepsItsShape(t *testing.T) {
	base, err := url.Parse("https://api.test/root/")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		path, err := joinPath(&Operation{Route: "GET /pool/{id}/file"}, []string{"/pool/", url.PathEscape(value), "/file"})
		if err != nil {
			require.Contains(t, []string{"", ".", ".."}, value)
			return
		}
		var u url.URL
		require.NoError(t, target(&u, base, path, ""))
		parsed, err := url.Parse(u.String())
		require.NoError(t, err)
		segments := strings.Split(parsed.EscapedPath(), "/")
		require.Len(t, segments, 5, u.String())
		require.Equal(t, []string{"", "root", "pool"}, segments[:3])
		decoded, err := url.PathUnescape(segments[3])
		require.NoError(t, err)
		require.Equal(t, value, decoded)
	})
}

// TestKeysAreInjective: two calls with different values never share a key
// (RULE-KEY-INJECTIVE).
func TestKeysAreInjective(t *testing.T) {
	literals := []string{"", "-", "--", "a", "ab", "aa"}
	values := rapid.StringOfN(rapid.RuneFrom([]rune("ab-1")), 1, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		op := &Operation{KeyTemplate: "{user}{session}"}
		literal := rapid.SampledFrom(literals[1:]).Draw(t, "literal")
		end := rapid.SampledFrom(literals).Draw(t, "end")
		draw := func(name string) []string {
			return []string{"k", values.Draw(t, name+" user"), literal, values.Draw(t, name+" session"), end}
		}
		first, second := draw("first"), draw("second")
		one, err := joinKey(op, first)
		if err != nil {
			t.Skip("refused")
		}
		two, err := joinKey(op, second)
		if err != nil {
			t.Skip("refused")
		}
		if one == two {
			require.Equal(t, first, second)
		}
	})
}

func TestKeyOfACall(t *testing.T) {
	keyed := &Operation{Idempotency: IdempotentByKey, KeyTemplate: "sms-{user}-{session}"}
	request := &Request{Key: []string{"sms-", "1", "-", "2-3"}}

	key, err := request.key(keyed, "")
	require.NoError(t, err)
	require.Equal(t, "sms-1-2-3", key)
	key, err = request.key(keyed, "stored")
	require.NoError(t, err)
	require.Equal(t, "stored", key, "the caller's own key wins")

	random := &Request{}
	first, err := random.key(keyed, "")
	require.NoError(t, err)
	second, err := random.key(keyed, "")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.GreaterOrEqual(t, len(first), 26, "at least 128 bits in base 32")

	for name, key := range map[string]string{
		"a space": "a b", "a line break": "a\r\nb", "not ASCII": "ä", "too long": strings.Repeat("a", 256),
	} {
		_, err := request.key(keyed, key)
		require.Error(t, err, name)
		if len(key) < 10 {
			require.NotContains(t, err.Error(), key, name)
		}
	}
	_, err = (&Request{Key: []string{"sms-", "..", "-", "1"}}).key(keyed, "")
	require.ErrorContains(t, err, `user is ".."`)
}

func TestServerURL(t *testing.T) {
	region := Variable{Name: "region", Default: "eu", Enum: []string{"eu", "us"}}
	tests := map[string]struct {
		override, value, want, err string
	}{
		"default":    {want: "https://eu.api.test/v1"},
		"chosen":     {value: "us", want: "https://us.api.test/v1"},
		"unknown":    {value: "mars", err: "permitted are eu, us"},
		"overridden": {override: "http://127.0.0.1:1", value: "mars", want: "http://127.0.0.1:1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			region.Value = tt.value
			got, err := ServerURL(tt.override, "https://{region}.api.test/v1", region)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
	_, err := ServerURL("", "https://{host}/v1", Variable{Name: "host", Value: "evil.test/x?"})
	require.ErrorContains(t, err, "would change the rest of the URL")
}

func TestNewUpstreamRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		url      string
		contract func(*UpstreamContract)
		config   UpstreamConfig
		op       *Operation
		says     string
	}{
		"relative URL":             {url: "/v1", says: "set Config.BaseURL"},
		"other scheme":             {url: "file:///etc", says: "http:// or https://"},
		"URL with a user":          {url: "https://me:secret@api.test", says: "may have no user"},
		"URL with a query":         {url: "https://api.test?x=1", says: "may have no user, query"},
		"ratio above a half":       {contract: func(c *UpstreamContract) { c.BudgetRatio = 0.6 }, says: "BudgetRatio"},
		"window too short":         {contract: func(c *UpstreamContract) { c.BudgetWindow = 1 }, says: "BudgetWindow"},
		"header of two lines":      {config: UpstreamConfig{UserAgent: "a\nb"}, says: "User-Agent has a control character"},
		"a question of an instant": {op: &Operation{Name: "op", ReconcileTimeout: 9e6}, says: "ReconcileTimeout is 9ms; permitted are 10ms to 1h0m0s"},
		"a question of a day":      {op: &Operation{Name: "op", ReconcileTimeout: 24 * 3600e9}, says: "ReconcileTimeout"},
		"six attempts":             {op: &Operation{Name: "op", MaxAttempts: 6}, says: "operation op: MaxAttempts is 6"},
		"attempts without wait":    {op: &Operation{Name: "op", MaxAttempts: 2, BackoffMax: 1e9, BackoffMultiplier: 2}, says: "BackoffBase"},
		"501 can not be passing":   {op: &Operation{Name: "op", TransientStatuses: []int{501}}, says: "501 can never be transient"},
		"key without a header":     {op: &Operation{Name: "op", Idempotency: IdempotentByKey}, says: "KeyHeader"},
	} {
		t.Run(name, func(t *testing.T) {
			c := contract
			if tt.contract != nil {
				tt.contract(&c)
			}
			if tt.url == "" {
				tt.url = "https://api.test"
			}
			var operations []*Operation
			if tt.op != nil {
				operations = append(operations, tt.op)
			}
			_, err := NewUpstream(c, tt.url, tt.config, operations)
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := NewUpstream(contract, "https://api.test", UpstreamConfig{}, []*Operation{{Name: "zero"}})
	require.NoError(t, err, "a zero operation makes one attempt")
}
