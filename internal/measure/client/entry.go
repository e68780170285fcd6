package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// An Entry has what all entries of lists have in common. [Tool], [Prompt] and [Resource] embed it.
type Entry struct { //nolint:recvcheck // it is embedded in values, and decoded through a pointer
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"` // "" if absent; of a tool, see [Tool.DisplayTitle]
	Description string          `json:"description,omitempty"`
	Icons       []Icon          `json:"icons,omitempty"`
	Meta        json.RawMessage `json:"_meta,omitempty"`

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

// note adds a problem.
func (e *Entry) note(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}

// object returns the members of an object, without duplicate ones; nil if text is not an object.
func (e *Entry) object(path string, text json.RawMessage) map[string]json.RawMessage {
	members, twice, err := strictjson.Members(text)
	if err != nil {
		what := "the entry"
		if path != "" {
			what = fmt.Sprintf("%q", path)
		}
		e.note("%s is %s, not an object", what, strictjson.Kind(text))
		return nil
	}
	if path != "" {
		path += "."
	}
	for _, name := range twice {
		e.note("%q occurs twice", path+name)
	}
	return members
}

// nested returns the members of an object within an entry; nil if it is absent or null.
func (e *Entry) nested(members map[string]json.RawMessage, name string) map[string]json.RawMessage {
	text, ok := members[name]
	if !ok || string(text) == "null" {
		return nil
	}
	return e.object(name, text)
}

// readMember decodes a member into to; want names its type in the problem text. A member of another type stays absent.
func readMember[T any](e *Entry, members map[string]json.RawMessage, path, name string, to *T, want string) {
	text, ok := members[name]
	if !ok {
		return
	}
	var value T
	if err := strictjson.Decode(text, &value); err != nil {
		e.note("%q is %s, not %s", path+name, strictjson.Kind(text), want)
		return
	}
	*to = value
}

// decode sets what all entries have in common, and returns all members.
func (e *Entry) decode(raw json.RawMessage) map[string]json.RawMessage {
	members := e.object("", raw)
	readMember(e, members, "", "name", &e.Name, "a string")
	readMember(e, members, "", "title", &e.Title, "a string")
	readMember(e, members, "", "description", &e.Description, "a string")
	readMember(e, members, "", "icons", &e.Icons, "an array of icons")
	e.Meta = members["_meta"]
	return members
}

// finish sets what e lacks besides the problems: raw, and what can be read of it, which is in decoded.
func (e *Entry) finish(raw json.RawMessage, decoded any) {
	e.Raw = bytes.Clone(raw)
	if e.readable = e.Raw; e.Problems != nil {
		e.readable, _ = json.Marshal(decoded) // cannot fail: the values were decoded from JSON
	}
}
