package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/examples/telephony/notify"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// Login is a request for a login code.
type Login struct {
	UserID         string `json:"user_id"`
	LoginSessionID string `json:"login_session_id"`
	To             string `json:"to"`
	Code           string `json:"code"`
	// Resend asks for the same code once more within the session, by the ordinal of
	// the wish: 2, 3 and so on. Without it the provider takes a second request for an
	// echo of the first, and sends nothing.
	Resend int `json:"resend,omitempty"`
}

// Notice is a request for a message that is no login code.
type Notice struct {
	UserID   string `json:"user_id"`
	NoticeID string `json:"notice_id"`
	To       string `json:"to"`
	Text     string `json:"text"`
}

// Sent is a message that the provider has taken.
type Sent struct {
	MessageID string `json:"message_id"`
	Status    string `json:"status"`
}

var (
	session = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
	code    = regexp.MustCompile(`^[0-9]{4,10}$`)
)

// message is the login as the provider knows it. The ordinal is part of the
// session's name there, so that it is part of the key; no session holds a dot.
func (l *Login) message() (sms.NewMessage, error) {
	m := sms.NewMessage{UserID: l.UserID, LoginSessionID: l.LoginSessionID, To: l.To, Text: "Your login code is " + l.Code + "."}
	switch {
	case !session.MatchString(l.LoginSessionID):
		return m, errors.New("/login_session_id: must be letters, digits and underscores")
	case !code.MatchString(l.Code):
		return m, errors.New("/code: must be 4 to 10 digits")
	case l.Resend < 0 || l.Resend > 999:
		return m, errors.New("/resend: must be 0 to 999")
	}
	if l.Resend > 1 {
		m.LoginSessionID += "." + strconv.Itoa(l.Resend)
	}
	return m, m.Validate()
}

// keyOf is the key that the client sends: it is recorded before the client makes it
// of the contract's template. A test holds the two together.
func keyOf(m sms.NewMessage) string { return "SMS-2FA-" + m.UserID + "-" + m.LoginSessionID }

// SendCode sends a login code. Before the first attempt an intent is durable, so
// that whatever happens then, the send is known; a send that ends without success
// is in the fallback queue when this returns.
func (g *Gateway) SendCode(ctx context.Context, l Login) (Sent, error) {
	m, err := l.message()
	if err != nil {
		return Sent{}, badRequest(err)
	}
	if !g.running.begin() {
		return Sent{}, notRecorded(fallback.ErrClosed)
	}
	defer g.running.done()
	intent, err := g.queue.Begin(ctx, fallback.Intent{Key: fallback.Secret(keyOf(m)), Kind: "login-code"})
	if err != nil {
		return Sent{}, notRecorded(err)
	}
	message, err := g.codes.SendMessage(ctx, m)
	if err != nil {
		g.keep(intent, l, err)
		return Sent{}, err
	}
	if err := intent.Done(); err != nil {
		g.log.Error("a send that succeeded stays open in the fallback queue", "id", intent.ID(), "error", err)
	}
	return sent(message.ID, string(message.Status)), nil
}

// keep makes a record of a send that ended without success. If that fails, its
// intent is still there, and is held as ambiguous at the next start.
func (g *Gateway) keep(intent *fallback.Pending, l Login, err error) {
	failure := failureOf(err)
	failure.Recipient, failure.Code = fallback.Secret(l.To), fallback.Secret(l.Code)
	failure.Expires = time.Now().Add(g.config.CodeTTL)
	if err := intent.Keep(failure); err != nil {
		g.log.Error("a send without success stays open in the fallback queue", "id", intent.ID(), "error", err)
	}
}

// failureOf tells class and effect of a call's error. An error that no call has
// made says nothing of either.
func failureOf(err error) fallback.Failure {
	f := fallback.Failure{Class: fallback.Ambiguous, Effect: fallback.Unknown, Problem: problemOf(err).Code}
	if o, ok := runtime.OutcomeOf(err); ok {
		f.Class, f.Effect = classOf(o), fallback.Effect(o.Effect.String())
	}
	return f
}

func classOf(o *runtime.Outcome) fallback.Class {
	switch lifecycle.Classify(o).Class {
	case lifecycle.ClassTransient:
		if lifecycle.StoppedByBudget(o.Reason, o.FailureReason) {
			return fallback.Budget
		}
		return fallback.Exhausted
	case lifecycle.ClassPermanent:
		return fallback.Refused
	case lifecycle.ClassRejected:
		return fallback.Rejected
	case lifecycle.ClassCancelled:
		return fallback.Cancelled
	}
	return fallback.Ambiguous
}

// SendNotice sends a message that nobody waits for, through a pool of its own.
func (g *Gateway) SendNotice(ctx context.Context, n Notice) (Sent, error) {
	m := notify.NewMessage{UserID: n.UserID, NoticeID: n.NoticeID, To: n.To, Text: n.Text}
	if err := m.Validate(); err != nil {
		return Sent{}, badRequest(err)
	}
	message, err := g.notices.SendMessage(ctx, m)
	if err != nil {
		return Sent{}, err
	}
	return sent(message.ID, string(message.Status)), nil
}

func sent(id, status string) Sent { return Sent{MessageID: id, Status: status} }

func notRecorded(err error) error {
	return &ownError{http.StatusServiceUnavailable, CodeNotRecorded, "The send cannot be recorded", "Nothing was sent.", err}
}

func badRequest(err error) error {
	return &ownError{http.StatusBadRequest, CodeBadRequest, "The request is not one of this gateway", fmt.Sprint(err), nil}
}
