package gateway_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/petstore/gateway"
	"github.com/retrygen/retrygen/examples/petstore/pets"
	"github.com/retrygen/retrygen/examples/petstore/pets/petstest"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

var (
	rex  = pets.Pet{ID: "rex", Name: "Rex", Kind: pets.KindDog, Available: true}
	wish = pets.NewReservation{PetID: "rex", CustomerID: "c-1", Days: 2}
)

// TestLookup: whatever happens on the way, the shop gets the pet, or a word that is
// true.
func TestLookup(t *testing.T) {
	for name, test := range map[string]struct {
		provider func(*petstest.Server)
		want     gateway.Answer[*pets.Pet]
		attempts int
	}{
		"healthy": {func(*petstest.Server) {}, gateway.Answer[*pets.Pet]{Status: 200, Code: gateway.OK, Value: &rex}, 1},
		"twice in trouble": {func(p *petstest.Server) {
			p.GetPet.Before(retrytest.Status(http.StatusServiceUnavailable), retrytest.ResetAnswer())
		}, gateway.Answer[*pets.Pet]{Status: 200, Code: gateway.OK, Value: &rex}, 3},
		"the answer breaks": {func(p *petstest.Server) { p.GetPet.After(retrytest.CutBody(200)) },
			gateway.Answer[*pets.Pet]{Status: 200, Code: gateway.OK, Value: &rex}, 2},
		"slow once": {func(p *petstest.Server) { p.GetPet.Slow(time.Minute) },
			gateway.Answer[*pets.Pet]{Status: 200, Code: gateway.OK, Value: &rex}, 2},
		"no such pet": {func(p *petstest.Server) { p.GetPet.Answer(petstest.GetPet404(pets.Problem{Title: "no such pet"})) },
			gateway.Answer[*pets.Pet]{Status: 404, Code: gateway.MissingRecord}, 1},
		"our key is wrong": {func(p *petstest.Server) { p.GetPet.Answer(petstest.GetPetDefault(401, pets.Problem{Title: "who?"})) },
			gateway.Answer[*pets.Pet]{Status: 502, Code: gateway.IntegrationRejected}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // a minute takes no time
				provider := petstest.NewWith(t, retrytest.Config{InMemory: true})
				provider.GetPet.Answer(petstest.GetPet200(rex))
				test.provider(provider)
				answer := gateway.New(provider.Client(pets.Config{})).Pet(t.Context(), "rex")
				require.Equal(t, test.want, answer)
				attempts := provider.GetPet.Attempts()
				require.Len(t, attempts, test.attempts)
				require.Equal(t, "rex", attempts[0].Request.PetID)
			})
		})
	}
}

// TestReservationIsSentOnce: the shop learns that nobody knows, whether the
// provider made the reservation or not.
func TestReservationIsSentOnce(t *testing.T) {
	for name, test := range map[string]struct {
		fault    func(*petstest.Server)
		want     gateway.Code
		reserved int
	}{
		"made": {func(*petstest.Server) {}, gateway.OK, 1},
		"made, and the answer lost": {func(p *petstest.Server) {
			p.CreateReservation.After(retrytest.LoseAnswer())
		}, gateway.Ambiguous, 1},
		"not made, which nobody knows": {func(p *petstest.Server) {
			p.CreateReservation.Before(retrytest.LoseAnswer())
		}, gateway.Ambiguous, 0},
	} {
		t.Run(name, func(t *testing.T) {
			provider := petstest.New(t)
			provider.CreateReservation.Handle(func(_ context.Context, r petstest.CreateReservationRequest) (petstest.CreateReservationResponse, error) {
				return petstest.CreateReservation201(pets.Reservation{ID: "r-1", PetID: r.Body.PetID, Until: time.Now().AddDate(0, 0, int(r.Body.Days))}), nil
			})
			test.fault(provider)
			answer := gateway.New(provider.Client(pets.Config{})).Reserve(t.Context(), wish)
			require.Equal(t, test.want, answer.Code)
			require.Len(t, provider.CreateReservation.Attempts(), 1)
			require.Equal(t, wish, provider.CreateReservation.Attempts()[0].Request.Body)
			require.Equal(t, test.reserved, provider.CreateReservation.Handled())
		})
	}
}
