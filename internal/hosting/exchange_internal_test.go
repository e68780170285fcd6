package hosting

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestExchangeRules checks that an exchange meets the rules of [engine.Writer].
func TestExchangeRules(t *testing.T) {
	t.Parallel()
	enginetest.TestWriter(t, enginetest.Kind{Answer: `{"roots":[]}`}, func(testing.TB) enginetest.Client[engine.Writer] {
		m := enginetest.Memory()
		x := &exchange{Client: framework{m.Writer}, done: make(chan struct{})}
		c := m.With(x)
		c.Received = func() []string { return append(m.Received(), x.received()...) }
		return c
	})
}

// received returns the response, which Do returns.
func (x *exchange) received() []string {
	select {
	case <-x.done:
		if x.response != nil {
			return []string{string(x.response)}
		}
	default:
	}
	return nil
}

// framework is the session of another framework.
type framework struct{ to engine.Writer }

func (f framework) Notify(method string, params json.RawMessage) error {
	return f.to.Notify([]byte(`{"jsonrpc":"2.0","method":"` + method + `","params":` + string(params) + `}`))
}

func (framework) Ask(ctx context.Context, _ []byte) (json.RawMessage, error) {
	return json.RawMessage(`{"roots":[]}`), ctx.Err()
}
