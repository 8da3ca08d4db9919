package gateway

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSendsEndBeforeTheQueue: the queue stays open until each send has written down
// what became of it, or no time is left; none begins meanwhile.
func TestSendsEndBeforeTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r running
		require.True(t, r.begin())
		require.True(t, r.begin())
		ended := make(chan error, 1)
		go func() { ended <- r.end(t.Context()) }()
		synctest.Wait()
		require.False(t, r.begin())
		r.done()
		synctest.Wait()
		require.Empty(t, ended)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, r.end(ctx), context.DeadlineExceeded)
		r.done()
		require.NoError(t, <-ended)
		require.NoError(t, r.end(t.Context()))
	})
	var idle running
	require.NoError(t, idle.end(t.Context()))
}
