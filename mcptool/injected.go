package mcptool

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// injected are arguments that clients add to each schema, have their models set, and forward. They are removed before
// the arguments are checked, unless the schema mentions them. Add a row only for a client that sends the argument to
// servers.
var injected = []struct {
	client, name string
	kind         rawjson.Kind // of the values
	source, date string       // where and when this was observed
}{
	{"Gemini CLI", "wait_for_previous", rawjson.Bool, "calls of version 0.61.0", "2026-11-26"},
}

// withoutInjected returns the arguments without those that clients inject, and the names of the ones that were removed. It
// does not modify args.
func (t *Tool) withoutInjected(args []byte) (kept []byte, names []string) {
	kept = args
	for _, in := range injected {
		if !bytes.Contains(args, []byte(in.name)) || t.kind != kindTool || bytes.Contains(t.input.JSON(), []byte(in.name)) {
			continue
		}
		if shorter, ok := cutMember(kept, in.name, in.kind); ok {
			kept, names = shorter, append(names, in.name)
		}
	}
	return kept, names
}

// cutMember returns a copy of an object without the first member of this name and kind, and reports whether there is one.
func cutMember(object []byte, name string, kind rawjson.Kind) ([]byte, bool) {
	s := rawjson.New(object, 0)
	s.OpenObject()
	for {
		begin := s.Offset() // offset of the name, or of the comma before it
		member, ok := s.Member()
		if !ok {
			return nil, false
		}
		found := string(member) == name
		value := s.Value()
		if !found || rawjson.KindOf(value) != kind {
			continue
		}
		end := s.Offset()
		if s.Err() != nil || end == len(object) {
			return nil, false
		}
		if object[begin] != ',' && object[end] == ',' {
			end++
		}
		return append(bytes.Clone(object[:begin]), object[end:]...), true
	}
}
