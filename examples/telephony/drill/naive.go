package drill

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// naiveAttempts is how often the service sent a message before it had a policy.
const naiveAttempts = 8

// naive sends as the service did then: a failure is sent again at once, whatever it
// is, without a look at what the provider can take.
type naive struct {
	client *http.Client
	url    string
	meter  *meter
}

func (n *naive) send(ctx context.Context, i int) (success bool, code string) {
	body := fmt.Sprintf(`{"user_id":"u%d","login_session_id":"s%d","to":"+4915112345678","text":"Your login code is 123456."}`, i, i)
	for attempt := range naiveAttempts {
		n.meter.attempt(time.Since(n.meter.start), attempt == 0)
		if n.attempt(ctx, body, fmt.Sprintf("SMS-2FA-u%d-s%d", i, i)) == http.StatusCreated {
			n.meter.succeeded(time.Since(n.meter.start))
			return true, ""
		}
	}
	return false, "LOST"
}

func (n *naive) attempt(ctx context.Context, body, key string) (status int) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, strings.NewReader(body))
	if err != nil {
		panic(err) // the URL is our own
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer drill")
	r.Header.Set("Idempotency-Key", key)
	response, err := n.client.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}
