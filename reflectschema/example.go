package reflectschema

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
)

// example returns JSON that fits the schema, to be shown in an error: with the required members, and those that the
// violations are about. It returns "" if it finds none.
func (s *Schema) example(about []Violation, branches []string) string {
	return s.examples.example(s.doc(), about, branches, s.fits)
}

// fits reports whether a value fits the schema.
func (s *Schema) fits(value []byte) bool {
	v, err := parseStrict(value)
	return err == nil && s.checkValue(v, nil) == nil
}

// example is [Schema.example] with a value that the Go type can also decode.
func (t *Type) example(about []Violation, branches []string) string {
	return t.examples.example(t.Schema().doc(), about, branches, t.fits)
}

// fits reports whether a value fits the schema, and the Go type can decode it.
func (t *Type) fits(value []byte) bool {
	_, err := t.decodeSlow(value, reflect.New(t.goType).Elem(), nil)
	return err == nil
}

// Limits of an exampleCache: at most about 20 KB.
const (
	maxExamplesKept = 16
	maxExampleKey   = 512 // bytes
)

// An exampleCache caches the examples that errors of a schema have shown, by the locations that the errors were about.
// A model that calls a tool wrongly does so many times in the same way, and making an example takes longer than finding
// the violations. The zero value is ready to use, and safe for concurrent use.
type exampleCache struct {
	mu   sync.RWMutex
	kept map[string]string
}

// example returns the example for these violations in these alternatives, for display, or "" if there is none. It
// makes the example if the cache does not contain it.
func (c *exampleCache) example(schema *jsondoc.Value, about []Violation, branches []string, fits func([]byte) bool) string {
	var room [maxExampleKey]byte
	key := appendExampleKey(room[:0], about, branches)
	c.mu.RLock()
	shown, known := c.kept[string(key)]
	c.mu.RUnlock()
	if known {
		return shown
	}
	shown = findExample(schema, mentioned(about), branches, fits)
	if len(key) > maxExampleKey {
		return shown
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]string{}
	}
	for old := range c.kept {
		if len(c.kept) < maxExamplesKept {
			break
		}
		delete(c.kept, old) // any one
	}
	c.kept[string(key)] = shown
	return shown
}

// appendExampleKey appends everything that an example for these violations depends on. Each part is preceded by its
// length, because names may contain any character.
func appendExampleKey(dst []byte, about []Violation, branches []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(about)))
	for _, v := range about {
		var room [64]byte
		place, nearest := v.appendPlace(room[:0]), v.nearestMember()
		dst = append(binary.AppendUvarint(dst, uint64(len(place))), place...)
		dst = append(binary.AppendUvarint(dst, uint64(len(nearest))), nearest...)
	}
	for _, branch := range branches {
		dst = append(binary.AppendUvarint(dst, uint64(len(branch))), branch...)
	}
	return dst
}

// findExample returns a value for a schema, for display, with some optional members, or else without them. It returns ""
// if neither fits.
func findExample(schema *jsondoc.Value, members map[string]bool, branches []string, fits func([]byte) bool) string {
	var tried []byte
	for _, members := range []map[string]bool{members, nil} {
		value := placeholder.Example(schema, placeholder.Wanted{Members: members, Branches: branches})
		if value == nil || bytes.Equal(value, tried) { // a check can take long
			continue
		}
		if shown := visible(string(value)); len(shown) <= placeholder.MaxBytes && fits(value) {
			return shown
		}
		tried = value
	}
	return ""
}

// mentioned returns the pointers to the locations of the violations, and to all locations above them.
func mentioned(about []Violation) map[string]bool {
	places := map[string]bool{}
	for _, v := range about {
		pointer := string(v.appendPlace(nil))
		if nearest := v.nearestMember(); nearest != "" {
			places[pointer+"/"+jsondoc.EscapeToken(nearest)] = true
		}
		for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			places[pointer] = true
		}
	}
	return places
}

// appendPlace appends the pointer to the location of the violation, with 0 for every index, because an example has one
// item. If a member is not allowed, the location is its object.
func (v Violation) appendPlace(dst []byte) []byte {
	pointer := v.Pointer
	if v.Keyword == "additionalProperties" {
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	for pointer != "" {
		token, _, _ := strings.Cut(pointer[1:], "/")
		pointer = pointer[1+len(token):]
		if authority.IsIndex(token) {
			token = "0"
		}
		dst = append(append(dst, '/'), token...)
	}
	return dst
}

// nearestMember returns the member that was probably meant by one that is not allowed, or "".
func (v Violation) nearestMember() string {
	if v.Keyword == "additionalProperties" {
		return v.Suggest
	}
	return ""
}
