package runtime

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// replies is what a server adds to its responses.
type replies struct {
	serverInfo wire.ServerInfo
	redactor   wire.Redactor
}

// newReplies returns what a server with this description adds.
func newReplies(identity *wire.Identity, redactor wire.Redactor) replies {
	made := replies{redactor: redactor}
	for v := range made.serverInfo {
		made.serverInfo[v] = identity.Append(nil, wire.Version(v))
	}
	return made
}

// appendError appends the response with an error.
func (s *replies) appendError(dst, id []byte, e *wireError, v wire.Version) []byte {
	if e.forModel {
		return wire.EndResponse(s.appendFailure(wire.BeginResult(dst, id), e.Message, v))
	}
	return e.AppendResponse(dst, id)
}

// appendMethodResult appends the result of a custom method as clients of revision v get it. Only complete results have a
// caching hint.
func (s *replies) appendMethodResult(dst []byte, r wire.Result, hint *CacheHint, v wire.Version) []byte {
	dst = append(append(dst, '{'), r.Members...)
	switch {
	case r.Kind != nil && string(r.Kind) != `"complete"`:
		return s.serverInfo.AppendTail(dst, r.Kind, v, r.Meta)
	case r.Hints != nil && v.Has(wire.PerRequest):
		dst = append(rawjson.AppendComma(dst), r.Hints...)
	case hint != nil:
		dst = hint.append(dst, v)
	}
	return s.serverInfo.AppendTail(dst, wire.Complete, v, r.Meta)
}

// appendFailure appends an isError result with this text.
func (s *replies) appendFailure(dst []byte, text string, v wire.Version) []byte {
	dst = s.redactor.AppendString(append(dst, `{"content":[{"type":"text","text":`...), text)
	return s.serverInfo.AppendTail(append(dst, `}],"isError":true`...), wire.Complete, v, nil)
}
