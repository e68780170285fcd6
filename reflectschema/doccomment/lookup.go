package doccomment

import (
	"cmp"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/comment"
)

//nolint:gochecknoinits // package comment is linked without this package
func init() {
	comment.OfFunc = ofFunc
	comment.OfMember = func(t reflect.Type, name string) string { return commentOf(declaration{nameOf(t), name}) }
	comment.Describe = describe
	others := comment.Constants // see integrations/mcptoolvet
	comment.Constants = func(t reflect.Type) []string {
		if values := of(nameOf(t)).values(); values != nil {
			return values
		}
		return others(t)
	}
}

var noComments comments

// of returns the registered comments of a type or func, empty ones if there are none.
func of(n name) *comments {
	registered.RLock()
	defer registered.RUnlock()
	return cmp.Or(registered.byName[n], &noComments)
}

// values returns the values of the constants.
func (c *comments) values() (values []string) {
	for _, constant := range c.constants {
		values = append(values, constant[0])
	}
	return values
}

// ofFunc returns the comment of a func or a method value by its symbol, such as
// example.com/a%2eb.(*Box[...]).Get-fm.
func ofFunc(symbol string) string {
	slash := strings.LastIndexByte(symbol, '/') + 1
	pkg, rest, _ := strings.Cut(symbol[slash:], ".")
	pkgPath, _ := url.PathUnescape(symbol[:slash+len(pkg)]) // the linker escapes dots in the last element
	rest = strings.TrimSuffix(strings.ReplaceAll(rest, "[...]", ""), "-fm")
	rest = strings.ReplaceAll(strings.TrimPrefix(rest, "(*"), ")", "")
	ident, method, _ := strings.Cut(rest, ".")
	return commentOf(declaration{name{pkgPath, ident}, method})
}

// commentOf returns the comment of a func or member, and remembers if there was none.
func commentOf(d declaration) string {
	text := of(d.name).get(d.member)
	if text == "" {
		uncommented.LoadOrStore(d, true)
	}
	return text
}

// describe is [comment.Describe].
func describe(description string, t reflect.Type, enum []any) string {
	c := of(nameOf(t))
	lines := []string{cmp.Or(description, c.text)}
	for _, constant := range c.constants {
		if constant[1] != "" && slices.ContainsFunc(enum, func(v any) bool { return textOf(v) == constant[0] }) {
			lines = append(lines, "- "+constant[0]+": "+constant[1])
		}
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}

// textOf returns a string of an enum, as schemas contain it; "" for other values.
func textOf(v any) (text string) {
	raw, _ := v.(json.RawMessage)
	_ = json.Unmarshal(raw, &text)
	return text
}
