package telephony

import (
	"github.com/sony/gobreaker/v2"

	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// WithBreaker makes the client stop calling while the provider is down. The
// breaker hears one result per call; those that say nothing about the provider's
// health (cancelled, rejected, throttled) do not count.
func WithBreaker(config sms.Config, settings gobreaker.Settings) sms.Config {
	settings.IsExcluded = runtime.IsNeutral
	config.Upstream.Breaker = gobreaker.NewTwoStepCircuitBreaker[any](settings)
	return config
}
