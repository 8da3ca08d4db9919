package golden

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/testdata/golden/constants"
)

// TestConstantsOnTheWire: what can have one value only is sent as that, in bodies,
// parameters, forms and keys, though the caller has not set it; what may be absent
// stays absent.
func TestConstantsOnTheWire(t *testing.T) {
	server := serve(t, json200(`{"kind":"cash","order":"1","accepted":false,"rate":2,"level":0,"none":5,"maybe":"no","list":[""]}`), answer{status: 204})
	c := client[*constants.Client](t)(constants.New(constants.Config{BaseURL: server.URL}))
	got, err := c.Pay(t.Context(), "", constants.PayParams{}, constants.Payment{Order: "1", List: make([]constants.PaymentListItem, 2)})
	require.NoError(t, err)
	require.Equal(t, constants.PaymentKind("cash"), got.Kind, "what an upstream sends is kept")
	require.False(t, got.Kind.Known())
	require.NoError(t, c.PostForm(t.Context(), constants.Grant{Code: "c"}))
	require.NoError(t, c.PutForm(t.Context(), constants.GrantForm{Code: "c"}))
	require.NoError(t, c.PostPet(t.Context(), constants.PostPetRequestFromCat(constants.Cat{})))
	require.NoError(t, c.PostPet(t.Context(), constants.PostPetRequestFromDog(constants.Dog{})))

	requests := server.read()
	require.Equal(t, "POST /v2/payments?mode=live", requests[0].line)
	require.Equal(t, []string{"7"}, requests[0].header["Api-Version"])
	require.Equal(t, []string{"card-1"}, requests[0].header["Idempotency-Key"])
	require.Equal(t, `{"kind":"card","order":"1","accepted":true,"rate":1.5,"level":3,"none":0,"maybe":null,"list":["each","each"]}`, requests[0].body)
	require.Equal(t, "grant_type=authorization_code&code=c", requests[1].body)
	require.Equal(t, []part{{"grant_type", "", "", "authorization_code"}, {"code", "", "", "c"}}, parts(t, requests[2]))
	require.Equal(t, `{"kind":"cat"}`, requests[3].body)
	require.Equal(t, `{"kind":"dog"}`, requests[4].body)
}

// TestOtherConstantsAreRefused before anything is sent.
func TestOtherConstantsAreRefused(t *testing.T) {
	server := serve(t)
	c := client[*constants.Client](t)(constants.New(constants.Config{BaseURL: server.URL}))
	list := []constants.PaymentListItem{}
	for says, payment := range map[string]constants.Payment{
		"/kind: is not one":   {Kind: "cash", List: list},
		"/level: is not one":  {Level: 4, List: list},
		"/rate: is not one":   {Rate: 1, List: list},
		"/none: is not one":   {None: 1, List: list},
		"/extra: is not one":  {Extra: ptr(constants.PaymentExtra("less")), List: list},
		"/list/0: is not one": {List: []constants.PaymentListItem{"none"}},
	} {
		_, err := c.Pay(t.Context(), "", constants.PayParams{}, payment)
		rejected(t, server, err, says)
	}
	_, err := c.Pay(t.Context(), "v3", constants.PayParams{}, constants.Payment{List: list})
	rejected(t, server, err, "/version: is not one")
	_, err = c.Pay(t.Context(), "", constants.PayParams{Mode: "test"}, constants.Payment{List: list})
	rejected(t, server, err, "/mode: is not one")
	rejected(t, server, c.PostPet(t.Context(), constants.PostPetRequestFromCat(constants.Cat{Kind: "dog"})), "/kind: is not one")
}

// TestConstantsRoundTrip: a value that was read is written as it was.
func TestConstantsRoundTrip(t *testing.T) {
	const read = `{"grant_type":"other","code":"c"}`
	var grant constants.Grant
	require.NoError(t, json.Unmarshal([]byte(read), &grant))
	written, err := json.Marshal(grant)
	require.NoError(t, err)
	require.Equal(t, read, string(written))
}
