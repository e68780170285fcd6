package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// FindID returns the id of a request that [Message.Read] cannot read, as raw JSON, so that the error response can have
// that id. It returns nil if it does not find a valid id, if the id is repeated, or if the message is a response. Text
// may be anything, including a truncated message.
//
// FindID reads only the outermost object, in one pass, and skips values without validating them.
func FindID(text []byte) (id []byte) {
	id, isResponse := findID(text)
	if isResponse {
		return nil
	}
	return id
}

// FindResponseID is [FindID] for responses. It returns nil for other messages.
func FindResponseID(text []byte) (id []byte) {
	id, isResponse := findID(text)
	if !isResponse {
		return nil
	}
	return id
}

func findID(text []byte) (id []byte, isResponse bool) {
	const space = " \t\r\n"
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(text, space), []byte("{"))
	for ok {
		rest = bytes.TrimLeft(rest, space+",")
		if !bytes.HasPrefix(rest, []byte(`"`)) {
			break
		}
		name := rest[:min(rawjson.SkipString(rest, 0)+1, len(rest))]
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest[len(name):], space), []byte(":")); !ok {
			break
		}
		end := valueLen(rest)
		value, isWhole := bytes.Trim(rest[:end], space), end < len(rest)
		rest = rest[end:]
		switch string(name) {
		case `"id"`:
			if id != nil {
				return nil, isResponse
			}
			if isWhole && ValidID(value) && rawjson.Valid(value, 1) == nil {
				id = value
			}
		case `"result"`, `"error"`:
			isResponse = true
		}
	}
	return id, isResponse
}

// valueLen returns the length of the value at the beginning of text, up to the delimiter after it. Without a delimiter,
// the value may be truncated.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = rawjson.SkipString(text, i)
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return i
			}
			if text[i] != ',' {
				depth--
			}
		}
	}
	return len(text)
}
