package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// ErrNoRequest is the error of [Notify] outside of a request that a server of this package answers.
var ErrNoRequest = errors.New("the context does not belong to a request")

// Notify sends the client a notification of an extension, on the stream of the running request, before its response. It
// is for the funcs of tools, prompts, resources and methods; ctx is their context. Clients that do not know the
// extension ignore notifications, but it is better not to send any: see [mcptool.Extension].
//
// Method is the name of the notification; it is an error to use a notification of the protocol. The params are encoded
// as JSON by [reflectschema.AppendValue], and must be an object of at most [Limits.MaxResultBytes]; nil means none.
// They are sent unchanged, without [Server.Redact].
//
// After the request has been answered or cancelled, nothing is sent, and the error is the cause of ctx if that has ended.
// Outside of a request the error is [ErrNoRequest]. An error of the connection is not reported here: it ends ctx. Notify
// blocks while the client does not read. It may be called concurrently.
func Notify(ctx context.Context, method string, params any) error {
	c := callOf(ctx)
	if c == nil {
		return ErrNoRequest
	}
	if reason := notificationProblem(method); reason != "" {
		return fmt.Errorf("notification %q: %s", method, reason)
	}
	var parts wire.Result
	if params != nil {
		raw, err := schemas.AppendValue(ctx, nil, params, false)
		if err == nil {
			parts, err = wire.ReadParams(raw)
		}
		if err != nil {
			return fmt.Errorf("notification %q: the params cannot be sent: %w", method, err)
		}
	}
	if size, limit := len(parts.Members)+len(parts.Meta), c.from.limits.MaxResultBytes; size > limit {
		return fmt.Errorf("notification %q: the params have more than %s of JSON (Limits.MaxResultBytes)", method, bytesize.Text(int64(limit)))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	wire.Compose(c.note, func(dst []byte) []byte {
		dst = rawjson.AppendString(append(dst, `{"jsonrpc":"2.0","method":`...), method)
		return append(appendNotifyParams(c, dst, parts), '}')
	})
	return nil
}

// appendNotifyParams appends the params of a notification that the call sends, if any.
func appendNotifyParams(c *call, dst []byte, p wire.Result) []byte {
	meta := p.Meta
	if runner := c.extras().runner; runner != nil && !c.version.Has(wire.PerRequest) {
		meta = append(rawjson.AppendComma(meta), wire.RelatedTask(runner.ID())...)
	}
	if len(p.Members) == 0 && len(meta) == 0 {
		return dst
	}
	dst = append(append(dst, `,"params":{`...), p.Members...)
	if len(meta) > 0 {
		dst = append(append(append(rawjson.AppendName(dst, "_meta"), '{'), meta...), '}')
	}
	return append(dst, '}')
}
