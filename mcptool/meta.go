package mcptool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/rawjson"
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
		return "has a prefix that the protocol reserves", "use your own domain, reversed: com.example/name"
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
		encodeValues(encoded, meta, func(reason, fix string) { fs.add("", reason, fix) })
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			if reason, fix := metaKeyProblem(key); reason != "" {
				fs.add("", fmt.Sprintf("key %q %s", key, reason), fix)
			}
			raw, _ := encoded[key].(json.RawMessage)
			format, ok := traceFormats[key]
			if ok && raw != nil && (rawjson.KindOf(raw) != rawjson.String || !format.fits(string(rawjson.Unquote(raw)))) {
				fs.add("", fmt.Sprintf("key %q has a value that is not in the W3C format", key), format.fix)
			}
		}
	})
	return encoded
}

// encodeValues encodes the values of the members of meta as JSON.
func encodeValues(encoded, meta map[string]any, mistake func(reason, fix string)) {
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		raw, err := reflectschema.AppendValue(nil, meta[key])
		if err != nil {
			mistake(fmt.Sprintf("key %q: %v", key, err), "give it a value that can be encoded as JSON")
		}
		encoded[key] = json.RawMessage(raw)
	}
}

// traceFormats are the formats of the _meta keys that the protocol adopts from the W3C (Trace Context and Baggage).
var traceFormats = map[string]struct {
	fits func(value string) bool
	fix  string
}{
	"traceparent": {isTraceParent, "write 00-, 32 hexadecimal digits, -, 16 of them, -, 2 of them, in lower case"},
	"tracestate":  {listOf(traceStateMember, 32), "write key=value, with commas between"},
	"baggage":     {listOf(baggageMember, 180), "write key=value;property, with commas between, and percent-encode characters other than ASCII"},
}

// Compiled on first use: few programs need them, and compiling takes as long as the rest of the start.
var (
	traceStateMember = lazily(`^[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$`)
	baggageMember    = lazily("^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=[ \t]*[!#-+\\--:<-\\[\\]-~]*(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*=[ \t]*[!#-+\\--:<-\\[\\]-~]*)?[ \t]*)*$")
)

func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isTraceParent reports whether value is a valid traceparent: version-trace-parent-flags. Ids must not be all zeros, and
// only versions above 00 may have further fields.
func isTraceParent(value string) bool {
	const fields = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh" // h is a hexadecimal digit
	if len(value) < len(fields) {
		return false
	}
	for i := range fields {
		if c := value[i]; fields[i] == '-' && c != '-' || fields[i] == 'h' && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	rest := value[len(fields):]
	return value[:2] != "ff" && (rest == "" || value[:2] != "00" && rest[0] == '-') &&
		strings.Trim(value[3:35], "0") != "" && strings.Trim(value[36:52], "0") != ""
}

// listOf returns a func that reports whether a value is a list of at most that many members.
func listOf(member func() *regexp.Regexp, most int) func(string) bool {
	return func(value string) bool {
		members := strings.Split(value, ",")
		for _, m := range members {
			if m = strings.Trim(m, " \t"); m != "" && !member().MatchString(m) {
				return false
			}
		}
		return len(members) <= most
	}
}
