package client

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// An entryReader reads members of an entry of a list, and notes what is wrong with them.
type entryReader struct{ problems *[]string }

func (r entryReader) note(format string, args ...any) {
	*r.problems = append(*r.problems, fmt.Sprintf(format, args...))
}

// object returns the members of an object, without those that occur twice; nil if it is none.
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

// readMember reads a member into to; want is its type in words. A member of another type stays absent.
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

// readable returns an entry without the members that have problems: raw itself if there are none.
func readable(entry any, raw json.RawMessage, problems []string) json.RawMessage {
	if problems == nil {
		return raw
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return raw // never: its values were read from JSON
	}
	return text
}
