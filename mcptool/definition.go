package mcptool

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/scope"
)

// definition collects the settings of one tool, prompt or resource before it is built, and all mistakes found
// meanwhile. It must not be copied: sources has the addresses of its fields.
type definition struct {
	kind        itemKind
	settings    // for a resource, Name is its name and not its URI
	annotations ToolAnnotations
	sources     []settingSource

	uri        string
	mimeType   string
	size       *int64
	notes      Annotations
	lister     listFunc
	authorizer *authorFunc // see MayRead
	completers []completer

	inputSchema  string
	outputSchema string
	outputType   reflect.Type
	schemaLogger *slog.Logger // of the option LogSchemaMistakes; nil without it

	askFirst string

	namePrefix string // of the option NamePrefix; "" without it

	ofService     bool
	exceptMethods []string // of the option ExceptMethods

	middleware []Middleware
	shorten    private.Shorten // cuts lists of the result; nil if none may be cut

	findings
}

// settingSource is where a setting of a definition was set.
type settingSource struct {
	setting any // pointer to the field
	text    string
}

// set records a setting of the definition. Two sources may set the same value; two different values are a mistake, because
// neither author would notice that one is ignored.
func set[T any](d *definition, s *T, source string, value T) {
	if before := d.source(s); before != "" && !reflect.DeepEqual(*s, value) {
		d.mistake(fmt.Sprintf("%s sets %s, and %s sets %s", before, brief(*s), source, brief(value)), "set it once")
		return
	}
	*s, d.sources = value, append(d.sources, settingSource{s, source})
}

// source returns the tag, option or comment that has set this field; "" if none has.
func (d *definition) source(s any) string {
	for _, set := range slices.Backward(d.sources) {
		if set.setting == s {
			return set.text
		}
	}
	return ""
}

// isSet reports whether this field was set, perhaps to its zero value.
func (d *definition) isSet(s any) bool { return d.source(s) != "" }

// mistake notes a mistake that concerns the tool as a whole.
func (d *definition) mistake(reason, fix string) {
	d.add("", reason, fix)
}

// typeMistake notes a mistake in a Go type, or below a path in it.
func (d *definition) typeMistake(t reflect.Type, path, reason, fix string) {
	d.mistakes = append(d.mistakes, Mistake{Type: t.String(), Path: path, Reason: reason, Fix: fix})
}

// addScopes adds sorted scopes to the scopes of other sources, and notes scopes that no token can grant.
func (d *definition) addScopes(source string, sorted []string) {
	if len(sorted) == 0 {
		d.add("scopes", source+" sets no scopes", "list at least one, or leave it out")
	}
	for i, name := range sorted {
		if reason, fix := scope.Problem(name); reason != "" {
			d.add("scopes", fmt.Sprintf("%q %s", name, reason), fix)
		} else if i > 0 && sorted[i-1] == name {
			d.add("scopes", fmt.Sprintf("%q is listed twice", name), "list it once")
		}
	}
	d.Scopes = append(slices.Clip(d.Scopes), sorted...)
	slices.Sort(d.Scopes)
	d.Scopes = slices.Compact(d.Scopes)
	d.sources = append(d.sources, settingSource{&d.Scopes, source})
}

// apply reads the options in order.
func apply[O any](d *definition, opts []O, applyTo func(O, *definition)) {
	for i, opt := range opts {
		if any(opt) == nil {
			d.mistake(fmt.Sprintf("option %d is nil", i+1), "leave it out")
			continue
		}
		applyTo(opt, d)
	}
}
