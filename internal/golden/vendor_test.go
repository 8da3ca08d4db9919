package golden

import (
	"testing"

	"github.com/stretchr/testify/require"

	vendor "github.com/retrygen/retrygen/testdata/golden/vendor-keys"
)

// TestScalarsWithoutPointersOnTheWire (x-go-type-skip-optional-pointer): zero is
// absent, is not checked, and all else is sent.
func TestScalarsWithoutPointersOnTheWire(t *testing.T) {
	server := serve(t, json200(`{"name":"ab"}`))
	c := client[*vendor.Client](t)(vendor.New(vendor.Config{BaseURL: server.URL}))
	got, err := c.PostThing(t.Context(), vendor.PostThingParams{}, vendor.Thing{Name: "ab"}) //nolint:staticcheck // deprecated
	require.NoError(t, err)
	require.Equal(t, &vendor.Thing{Name: "ab"}, got)
	_, err = c.PostThing(t.Context(), vendor.PostThingParams{Page: 2, Kind: vendor.KindSecond, XDry: true}, //nolint:staticcheck // deprecated
		vendor.Thing{Name: "ab", Count: 1, Note: "cd", Done: true, Kind: vendor.KindFirst}) //nolint:staticcheck // deprecated
	require.NoError(t, err)
	requests := server.read()
	require.Equal(t, "POST /things", requests[0].line)
	require.NotContains(t, requests[0].header, "X-Dry")
	require.Equal(t, `{"name":"ab"}`, requests[0].body)
	require.Equal(t, "POST /things?page=2&kind=b", requests[1].line)
	require.Equal(t, []string{"true"}, requests[1].header["X-Dry"])
	require.Equal(t, `{"count":1,"name":"ab","note":"cd","done":true,"kind":"a"}`, requests[1].body, "in the order of x-order")

	_, err = c.PostThing(t.Context(), vendor.PostThingParams{Page: -1}, vendor.Thing{Name: "ab", Note: "c"}) //nolint:staticcheck // deprecated
	require.ErrorContains(t, err, "/page: must be")
	require.ErrorContains(t, err, "/note: must have at least 2 characters")
	require.Len(t, server.read(), 2)
}
