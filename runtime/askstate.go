package runtime

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

var errStateSize = errors.New("the state (the answers so far and the values of Once) is larger than 64 KiB")

// resume reads the members of a retry: the answers of the client, and the state that the client got with the requests.
// Only the content of the state is trusted, because it is authenticated.
func resume(r *request, c *call) *wireError {
	p := r.params
	var known replay.Log
	if p.State != nil {
		if rawjson.KindOf(p.State) != rawjson.String {
			return invalidParams("params.requestState must be a string")
		}
		var err error
		if known, err = openState(c, p.State); err != nil {
			c.from.log.LogAttrs(c.from.ctx, slog.LevelWarn, "request state rejected", c.target.attr(), taskengine.OwnerAttr(c.access.owner()),
				slog.String("request_id", string(c.id)), slog.String("reason", wire.OneLine(err.Error(), c.from.limits.MaxTextBytes)))
			return invalidParams("params.requestState is invalid or expired; send the request without it")
		}
	}
	if p.Responses != nil && rawjson.KindOf(p.Responses) != rawjson.Object {
		return invalidParams("params.inputResponses must be an object")
	}
	most := c.from.limits.MaxClientRequests
	responses, err := wire.ReadResponses(p.Responses, most, func(string) bool { return true })
	if err != nil {
		return invalidParams(err.Error())
	}
	c.needExtras().asking.Store(newMemory(c, known, responses))
	return nil
}

// openState decrypts a state, a JSON string. It refuses a state that is larger than MaxStateBytes without
// decrypting it, because the server never sends one.
func openState(c *call, state []byte) (known replay.Log, err error) {
	if len(state) > c.from.limits.MaxStateBytes+len(`""`) {
		return known, errStateSize
	}
	payload, err := c.from.seal.open(wire.TextOf(state), stateBinding(c))
	if err == nil {
		known, err = replay.ReadLog(payload)
	}
	return known, err
}

// stateBinding returns the data that the state of the call is bound to. It does not depend on how arguments are formatted,
// which the client may change in the retry.
func stateBinding(c *call) seal.Binding {
	b := c.from.seal.binding(c.access, c.target.row.name)
	b.Transport, b.Name = "session", c.target.name()
	if !c.from.isSession {
		b.Transport = "endpoint"
	}
	sum := sha256.Sum256(wire.Canonical(c.args))
	b.Digest = sum[:]
	return b
}

// asks reports whether the run of the call has left requests without an answer. If so, it sends them as the answer to
// the call, whatever error the run has returned. But if the run has returned a result that is not an error, the call
// fails: the tool may have acted without the answers, and would act again in the next run. If the call has timed out,
// the requests are not sent.
func asks(c *call, err error) bool {
	run := c.extras().asking.Load()
	if run == nil || !c.version.Has(wire.PerRequest) {
		return false
	}
	known, pending := run.End()
	if len(pending) == 0 || c.context.timedOut() != nil {
		return false
	}
	if err == nil && outcomeOf(c, nil) == observe.OutcomeOK {
		c.fail(&mcptool.AskError{Tool: c.target.name(), Err: replay.ErrIgnored})
		return true
	}
	if attrs := defect(err); attrs != nil {
		hide(c, attrs) // only logged: the requests are valid
	}
	if p, ok := run.Misfit(); ok { // the client can call again with the same state
		c.refuse(invalidParams(wire.WrongAnswer(p.Key, p.Content)), observe.OutcomeRefused)
		return true
	}
	payload, err := json.Marshal(known)
	if err == nil && seal.Size(len(payload)) > c.from.limits.MaxStateBytes {
		err = errStateSize
	}
	if err != nil {
		c.fail(&mcptool.AskError{Tool: c.target.name(), Err: err})
		return true
	}
	leave, err := callctx.Enter(c, len(payload)+len(c.args), 1)
	if err != nil {
		c.fail(err)
		return true
	}
	state := c.from.seal.Seal(stateBinding(c), time.Now().Add(c.from.limits.ClientRequestTimeout), payload)
	leave()
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	msg := append(wire.BeginResult(*buf, c.id), `{"inputRequests":{`...)
	for _, p := range pending {
		msg = append(append(rawjson.AppendString(rawjson.AppendComma(msg), p.Key), ':'), p.Content...)
	}
	msg = wire.AppendText(append(msg, '}'), "requestState", state)
	*buf = wire.EndResponse(c.from.serverInfo.AppendTail(msg, []byte(`"input_required"`), c.version, nil))
	c.answer(*buf, observe.OutcomeAsked, nil)
	return true
}
