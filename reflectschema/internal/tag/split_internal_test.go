package tag

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

var structTags = []struct {
	name, reason string
	tag          reflect.StructTag
	keys         []string
	bad          bool
}{
	{"none", "no pairs", ``, nil, false},
	{"two", "in order", `json:"a" doc:"b, c"`, []string{"json", "doc"}, false},
	{"twice", "both are returned, Go uses the first", `doc:"a" doc:"b"`, []string{"doc", "doc"}, false},
	{"no blank between", "accepted by Go, but not by go vet", `json:"a"doc:"b"`, []string{"json", "doc"}, false},
	{"blank after colon", "ignored by Go", `jsonschema: "minLength=1"`, nil, true},
	{"no quotes", "ignored by Go", `jsonschema:minLength=1`, nil, true},
	{"no end", "ignored by Go", `json:"a`, nil, true},
	{"comma between", "everything after the first pair is lost", `json:"a",doc:"b"`, []string{"json"}, true},
	{"no value", "a word is not a pair", `required`, nil, true},
	{"bad escape", "not a Go string", `json:"\q"`, nil, true},
	{"raw string", "only double quotes are allowed", "json:`a`", nil, true},
}

func TestSplitStructTag(t *testing.T) {
	t.Parallel()
	for _, tt := range structTags {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pairs, problem := Split(tt.tag)
			var keys []string
			for _, p := range pairs {
				keys = append(keys, p.Key)
			}
			if !slices.Equal(keys, tt.keys) || (problem != nil) != tt.bad {
				t.Errorf("%s: keys %q, problem %v; want %q, %v", tt.reason, keys, problem, tt.keys, tt.bad)
			}
		})
	}
}

// FuzzSplitStructTag checks that keys and values are those that reflect.StructTag returns.
func FuzzSplitStructTag(f *testing.F) {
	for _, tt := range structTags {
		f.Add(string(tt.tag))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, tag string) {
		defer watch()()
		pairs, _ := Split(reflect.StructTag(tag))
		seen := map[string]bool{}
		for _, p := range pairs {
			got, ok := reflect.StructTag(tag).Lookup(p.Key)
			if !seen[p.Key] && (!ok || got != p.Value) {
				t.Errorf("`%s`: %s = %q, reflect: %q, %v", tag, p.Key, p.Value, got, ok)
			}
			seen[p.Key] = true
		}
	})
}
