package gateway

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCallersAreForgotten: memory is bounded, however many callers there are.
func TestCallersAreForgotten(t *testing.T) {
	c := newCallers(1)
	for i := range 3 * maxCallers {
		require.True(t, c.allow(string(rune(i))+"-"+time.Duration(i).String()))
	}
	require.LessOrEqual(t, len(c.young)+len(c.old), maxCallers)
	require.True(t, c.allow("last"))
	require.False(t, c.allow("last"))
}

// TestInventedUsersAreNotRemembered: nor may a name be as long as a body.
func TestInventedUsersAreNotRemembered(t *testing.T) {
	g := &Gateway{logins: newCallers(1)}
	l := Login{UserID: strings.Repeat("u", maxBody), LoginSessionID: "s1", To: "+4915112345678", Code: "493817"}
	require.True(t, g.allowLogin(l))
	require.Empty(t, g.logins.young)
	l.UserID = "u1"
	require.True(t, g.allowLogin(l))
	require.False(t, g.allowLogin(l))
}
