package mcptool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// The two parts of a key of _meta, label.label/name. The prefix may be missing, the name may not.
var (
	metaPrefix = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
	metaName   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
)

// metaKeyProblem returns what is wrong with key and the fix; "" if nothing.
func metaKeyProblem(key string) (reason, fix string) {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && !metaPrefix.MatchString(prefix):
		return "has a prefix that is not a list of labels separated by dots", "write it as a domain, reversed: com.example/name"
	case !metaName.MatchString(name):
		return "has a name that is not letters and digits, with . _ - only between them", "write com.example/name"
	case metaReserved(prefix):
		return "has a prefix that the protocol reserves", "use a domain of your own, reversed: com.example/name"
	}
	return "", ""
}

// metaReserved reports whether the protocol reserves the prefix. Revision 2025-06-18 reserves prefixes whose second to
// last label is mcp or modelcontextprotocol, later revisions those whose second label is. Since one map of keys serves
// all revisions, both are reserved here.
func metaReserved(prefix string) bool {
	labels := strings.Split(strings.ToLower(prefix), ".")
	if len(labels) < 2 {
		return false
	}
	isOurs := func(label string) bool { return label == "mcp" || label == "modelcontextprotocol" }
	return isOurs(labels[1]) || isOurs(labels[len(labels)-2])
}

// encodeMeta checks meta and returns a copy with encoded values, which can no longer change or fail to encode. Empty
// becomes nil.
func encodeMeta(fs *findings, meta map[string]any) map[string]any {
	if len(meta) == 0 {
		return nil
	}
	encoded := make(map[string]any, len(meta))
	fs.within("_meta", func() {
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			if reason, fix := metaKeyProblem(key); reason != "" {
				fs.add("", fmt.Sprintf("key %q %s", key, reason), fix)
			}
			raw, err := reflectschema.AppendValue(nil, meta[key])
			if err != nil {
				fs.add("", fmt.Sprintf("key %q: %v", key, err), "give it a value that can be encoded as JSON")
			}
			if reason, fix := metaValueProblem(key, raw); err == nil && reason != "" {
				fs.add("", fmt.Sprintf("key %q %s", key, reason), fix)
			}
			encoded[key] = json.RawMessage(raw)
		}
	})
	return encoded
}
