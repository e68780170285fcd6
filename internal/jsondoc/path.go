package jsondoc

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxPointer is the longest JSON pointer, in bytes; a longer one is left out.
const maxPointer = 4096

// Step leads from a JSON value to a part of it.
type Step struct {
	Name  string // of a member
	Index int    // of an element, else one of the constants
}

// What an index says that is not one of an element. All but the first lead to several parts, of values that are known by
// their schema only.
const (
	NamedMember = -1 - iota // the member of the name
	AnyElement              // all elements that are not named by their index
	AnyMember               // all members that are not named
	MemberNames             // the names of such members
)

// Path is the location of a part of a JSON value. It is built by appending when a part is entered and truncating when it
// is left, so that a name can have any characters.
type Path []Step

// Member returns the path of a member.
func (p Path) Member(name string) Path { return append(p, Step{Name: name, Index: NamedMember}) }

// Element returns the path of an element.
func (p Path) Element(i int) Path { return append(p, Step{Index: i}) }

// Pointer returns p, which leads to a single part, as a JSON pointer (RFC 6901), "" if that is longer than 4 KiB.
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

// At returns what a JSON pointer leads to from d, nil if nothing.
func (d *Value) At(pointer string) *Value {
	if pointer == "" {
		return d
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = UnescapeToken(token)
		switch {
		case d == nil:
			return nil
		case d.Kind == jsontext.KindBeginArray:
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

// EscapeToken returns a name as a reference token of a JSON pointer.
func EscapeToken(name string) string { return escaper.Replace(name) }

// UnescapeToken returns the name that a reference token stands for.
func UnescapeToken(token string) string { return unescaper.Replace(token) }

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// FragmentPointer returns the JSON pointer in the fragment of a URL.
func FragmentPointer(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		return decoded
	}
	return fragment
}

// LocalPointer returns the JSON pointer that a $ref within the document holds.
// It is false for references by anchor or by URL.
func LocalPointer(ref string) (string, bool) {
	if !strings.HasPrefix(ref, "#") {
		return "", false
	}
	pointer := FragmentPointer(ref)
	return pointer, pointer == "" || pointer[0] == '/'
}
