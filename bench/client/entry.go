package client

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

// An entryReader decodes members of a list entry and records problems.
type entryReader struct{ problems *[]string }

func (r entryReader) note(format string, args ...any) {
	*r.problems = append(*r.problems, fmt.Sprintf(format, args...))
}

// object returns the members of an object, without duplicate ones; nil if text is not an object.
func (r entryReader) object(path string, text json.RawMessage) map[string]json.RawMessage {
	members, twice, err := strictjson.Members(text)
	if err != nil {
		what := "the entry"
		if path != "" {
			what = fmt.Sprintf("%q", path)
		}
		r.note("%s is %s, not an object", what, strictjson.Kind(text))
		return nil
	}
	if path != "" {
		path += "."
	}
	for _, name := range twice {
		r.note("%q occurs twice", path+name)
	}
	return members
}

// readMember decodes a member into to; want names its type in the problem text. A member of another type stays absent.
func readMember[T any](r entryReader, members map[string]json.RawMessage, path, name string, to *T, want string) {
	text, ok := members[name]
	if !ok {
		return
	}
	var value T
	if err := strictjson.Decode(text, &value); err != nil {
		r.note("%q is %s, not %s", path+name, strictjson.Kind(text), want)
		return
	}
	*to = value
}

// readable returns an entry without its problematic members: raw itself if there are no problems.
func readable(entry any, raw json.RawMessage, problems []string) json.RawMessage {
	if problems == nil {
		return raw
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return raw // cannot happen: the values were decoded from JSON
	}
	return text
}
