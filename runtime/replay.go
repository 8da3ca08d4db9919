package runtime

import (
	"errors"
	"fmt"
	"time"
)

// Replay is the option that makes a call again under the key of one that ended
// ambiguous, so that the upstream answers as it would have and acts at most
// once:
//
//	_, err := client.CreatePayment(ctx, payment)
//	if again, refused := runtime.Replay(err); refused == nil {
//		_, err = client.CreatePayment(ctx, payment, again)
//	}
//
// It fails where err is no ambiguous call by key, or where the upstream may have
// forgotten the key: after KeyExpires or, where the document declares no
// retention, after the call's own deadline (RULE-AMBIGUOUS). An upstream that
// forgot the key would act a second time. The replay makes no attempt beyond
// that moment either.
func Replay(err error) (CallOption, error) {
	o, refused := replayable(err)
	if refused != nil {
		return nil, refused
	}
	until := o.KeyExpires
	if until.IsZero() {
		until = o.deadline
	}
	if until.IsZero() {
		return nil, fmt.Errorf("retrygen: %s: neither a key retention nor a deadline says how long the key holds", o.Operation)
	}
	if !time.Now().Before(until) {
		return nil, fmt.Errorf("retrygen: %s: the upstream may have forgotten the key since %s", o.Operation, until.Format(time.RFC3339))
	}
	return func(s *settings) { s.key, s.until = o.Key, until }, nil
}

// ReplayAcceptingDuplicate is [Replay] for callers who know that the upstream
// still knows the key, or who accept that it acts twice if it does not.
func ReplayAcceptingDuplicate(err error) (CallOption, error) {
	o, refused := replayable(err)
	if refused != nil {
		return nil, refused
	}
	return Key(o.Key), nil
}

func replayable(err error) (*Outcome, error) {
	var ambiguous *AmbiguousError
	switch {
	case !errors.As(err, &ambiguous):
		return nil, errors.New("retrygen: only a call that ended ambiguous can be replayed")
	case ambiguous.Key == "":
		return nil, fmt.Errorf("retrygen: %s has no idempotency key: ask %s what happened", ambiguous.Operation, ambiguous.Upstream)
	}
	return &ambiguous.Outcome, nil
}
