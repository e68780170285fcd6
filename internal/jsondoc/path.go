package jsondoc

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// maxPointer is the longest JSON pointer that [Path.Pointer] returns, in bytes.
const maxPointer = 4096

// Step leads from a JSON value to a part of it.
type Step struct {
	Name  string // of a member
	Index int    // of an element, else one of the constants
}

// Values of Step.Index that do not index an element. All but NamedMember lead to several parts: they are for paths in
// values of which only the schema is known.
const (
	NamedMember = -1 - iota // the member with the name
	AnyElement              // all elements without a schema for their index
	AnyMember               // all members without a schema for their name
	MemberNames             // the names of such members
)

// Path is the location of a part of a JSON value. Code that walks a value appends a step when it enters a part and
// truncates the path when it leaves the part. Names can have any characters.
type Path []Step

// Member returns the path of a member.
func (p Path) Member(name string) Path { return append(p, Step{Name: name, Index: NamedMember}) }

// Element returns the path of an element.
func (p Path) Element(i int) Path { return append(p, Step{Index: i}) }

// Pointer returns p, which must lead to a single part, as a JSON pointer (RFC 6901). It returns "" if the pointer would
// be longer than 4 KiB.
func (p Path) Pointer() string {
	size := 0
	for _, s := range p {
		size += len(s.Name) + len("/00")
	}
	if size > maxPointer {
		return ""
	}
	var b strings.Builder
	b.Grow(size)
	for _, s := range p {
		b.WriteByte('/')
		if s.Index >= 0 {
			b.WriteString(strconv.Itoa(s.Index))
			continue
		}
		_, _ = escaper.WriteString(&b, s.Name) // a Builder never fails
	}
	return b.String()
}

// Tokens splits a JSON pointer into its reference tokens, unescaped.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = UnescapeToken(token)
	}
	return tokens
}

// At returns the part of d at a JSON pointer, nil if there is none.
func (d *Value) At(pointer string) *Value {
	if pointer == "" {
		return d
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = UnescapeToken(token)
		switch {
		case d == nil:
			return nil
		case d.Kind == rawjson.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(d.Items) {
				return nil
			}
			d = d.Items[i]
		default:
			d = d.Get(token)
		}
	}
	return d
}

// EscapeToken escapes a name as a reference token of a JSON pointer.
func EscapeToken(name string) string { return escaper.Replace(name) }

// UnescapeToken returns the name in a reference token of a JSON pointer.
func UnescapeToken(token string) string { return unescaper.Replace(token) }

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// FragmentPointer returns the fragment of a URL, percent-decoded, as a JSON pointer. If it cannot be decoded it is
// returned as it is.
func FragmentPointer(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		return decoded
	}
	return fragment
}

// LocalPointer returns the JSON pointer of a $ref within the document. It reports false for references by anchor or by
// URL.
func LocalPointer(ref string) (string, bool) {
	if !strings.HasPrefix(ref, "#") {
		return "", false
	}
	pointer := FragmentPointer(ref)
	return pointer, pointer == "" || pointer[0] == '/'
}
