package mcptool

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
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

// definitionOf returns a definition with the settings in the tags of the argument struct and in the options. The func
// applyTo is the method of the options for the kind.
func definitionOf[O any](f authorFunc, kind itemKind, opts []O, applyTo func(O, *definition)) *definition {
	d := &definition{kind: kind, ofService: f.ofService, sources: make([]settingSource, 0, 8)}
	d.readTags(f.in)
	apply(d, opts, applyTo)
	if f.comment != "" && !d.isSet(&d.Description) {
		set(d, &d.Description, "the comment of the func", f.comment)
	}
	if f.isNil {
		d.mistake("the func is nil", "pass a func")
	}
	return d
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

// brief formats a value for an error message.
func brief(value any) string {
	v := reflect.Indirect(reflect.ValueOf(value)) // settings that are nil by default are pointers
	switch v.Kind() {
	case reflect.String:
		return shorten(strconv.Quote(v.String()))
	case reflect.Struct: // a Rate, which may have a method for its pointer
	default:
		value = v.Interface()
	}
	return shorten(fmt.Sprintf("%+v", value))
}

// shorten cuts a text that is too long for one line.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// mistake notes a mistake that concerns the tool as a whole.
func (d *definition) mistake(reason, fix string) {
	d.add("", reason, fix)
}

// typeMistake notes a mistake in a Go type, or below a path in it.
func (d *definition) typeMistake(t reflect.Type, path, reason, fix string) {
	d.mistakes = append(d.mistakes, Mistake{Type: t.String(), Path: path, Reason: reason, Fix: fix})
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

// check checks combinations of settings.
func (d *definition) check() {
	if readOnly, destructive := &d.annotations.ReadOnlyHint, &d.annotations.DestructiveHint; isTrue(*readOnly) {
		if isTrue(*destructive) {
			d.mistake(
				fmt.Sprintf("the tool is read-only by %s and destructive by %s", d.source(readOnly), d.source(destructive)),
				"a tool that deletes or overwrites is not read-only",
			)
		}
		*destructive = new(false) // says nothing new, but directories of clients refuse tools that leave it out
	}
	if len(d.exceptMethods) > 0 && !d.ofService {
		d.mistake("the option ExceptMethods applies only to a service", "pass it to RegisterService or NewService")
	}
	d.checkTask()
	fs := &d.findings
	d.checkResource(fs)
	d.checkText("title", &d.Title)
	d.checkText("description", &d.Description)
	checkAboveZero(d, "timeout", &d.Timeout, "set more than zero, or leave it out for the default of the server")
	d.checkRate()
	checkAboveZero(d, "concurrent", &d.Concurrent, "at least one call must be able to run; leave it out for no limit")
	checkIcons(fs, d.Icons)
	d.Meta = encodeMeta(fs, d.Meta)
	d.checkAttachments()
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// checkText notes a text that is empty or not valid UTF-8.
func (d *definition) checkText(name string, s *string) {
	if d.isSet(s) && strings.TrimSpace(*s) == "" {
		d.add(name, d.source(s)+" sets an empty text", "write one, or leave it out")
	}
	checkUTF8(&d.findings, name, *s)
}

// checkAboveZero notes a limit that allows nothing.
func checkAboveZero[T int | time.Duration](d *definition, name string, s *T, fix string) {
	if d.isSet(s) && *s <= 0 {
		d.add(name, fmt.Sprintf("%s sets %v", d.source(s), *s), fix)
	}
}

// itemKind is a kind of registry items.
type itemKind uint8

const (
	kindTool itemKind = iota
	kindPrompt
	kindResource
	anyKind // of a key of the mcp tag that applies to every kind
)

// itemWords are the words for each kind in messages. The key is unique among items of the kind.
var itemWords = [...]struct{ noun, keyName, constructor string }{
	kindTool:     {"tool", "name", "New or NewRaw"},
	kindPrompt:   {"prompt", "name", "NewPrompt"},
	kindResource: {"resource", "URI", "NewResource"},
}

// String returns the noun: tool, prompt or resource.
func (k itemKind) String() string { return itemWords[k].noun }
