package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

// An Entry is the JSON of an entry of a list. [Tool], [Prompt] and [Resource] embed it.
type Entry struct { //nolint:recvcheck // it is embedded in values, and finished through a pointer
	Raw json.RawMessage `json:"-"` // the original JSON
	// Problems describes members of the entry that have the wrong type or are duplicates; they count as absent. Nil
	// means none.
	Problems []string `json:"-"`
	readable json.RawMessage
}

// Received returns Raw.
func (e Entry) Received() json.RawMessage { return e.Raw }

// Readable returns the entry without the members named by Problems.
func (e Entry) Readable() json.RawMessage { return e.readable }

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

// nested returns the members of an object within an entry; nil if it is absent or null.
func (r entryReader) nested(members map[string]json.RawMessage, name string) map[string]json.RawMessage {
	text, ok := members[name]
	if !ok || string(text) == "null" {
		return nil
	}
	return r.object(name, text)
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

// readText decodes the members for display that all entries have.
func (r entryReader) readText(members map[string]json.RawMessage, name, title, description *string, icons *[]Icon) {
	readMember(r, members, "", "name", name, "a string")
	readMember(r, members, "", "title", title, "a string")
	readMember(r, members, "", "description", description, "a string")
	readMember(r, members, "", "icons", icons, "an array of icons")
}

// finish sets what e lacks besides the problems: raw, and what can be read of it, which is in decoded.
func (e *Entry) finish(raw json.RawMessage, decoded any) {
	e.Raw = bytes.Clone(raw)
	if e.readable = e.Raw; e.Problems != nil {
		e.readable, _ = json.Marshal(decoded) // cannot fail: the values were decoded from JSON
	}
}
