package mcptool

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// definition collects the settings of one tool, prompt or resource before it is built, and all mistakes found
// meanwhile.
type definition struct {
	kind itemKind

	name        setting[string]
	title       setting[string]
	description setting[string]

	readOnly    setting[bool]
	destructive setting[bool]
	idempotent  setting[bool]
	openWorld   setting[bool]

	scopes setting[[]string]
	icons  setting[[]Icon]
	meta   setting[map[string]any]

	timeout    setting[time.Duration]
	rate       setting[Rate]
	concurrent setting[int]

	auditArguments setting[bool]
	coerce         setting[bool]

	uri        setting[string]
	mimeType   setting[string]
	size       setting[int64]
	audience   setting[[]string]
	priority   setting[float64]
	verbatim   setting[bool]
	lister     listFunc
	completers []completer

	visible     setting[func(CallInfo) bool]
	attachments []Attachment

	inputSchema  setting[string]
	outputSchema setting[string]
	outputType   setting[reflect.Type]
	typeOptions  []reflectschema.TypeOption
	input        *reflectschema.Type // of the arguments; nil if they have mistakes

	askFirst setting[string]

	task         setting[TaskSupport]
	durable      setting[bool]
	taskTTL      setting[time.Duration]
	pollInterval setting[time.Duration]

	ofService     bool
	exceptMethods []string // of the option ExceptMethods

	middleware []Middleware
	shorten    private.Shorten // cuts lists of the result; nil if none may be cut
	headers    []private.ParamHeader

	findings
}

// definitionOf returns a definition with the settings in the tags of the argument struct and in the options. The func
// applyTo is the method of the options for the kind.
func definitionOf[O any](f authorFunc, kind itemKind, opts []O, applyTo func(O, *definition)) *definition {
	d := &definition{kind: kind, ofService: f.ofService}
	d.readTags(f.in)
	apply(d, opts, applyTo)
	if f.comment != "" && !d.description.isSet() {
		set(d, &d.description, "the comment of the func", f.comment)
	}
	if f.isNil {
		d.mistake("the func is nil", "pass a func")
	}
	return d
}

// setting is one setting of a tool, with its source; the zero value means unset.
type setting[T any] struct {
	value  T
	source string
}

func (s *setting[T]) isSet() bool { return s.source != "" }

// pointer returns the value of a hint with three states: true, false, unset.
func (s *setting[T]) pointer() *T {
	if !s.isSet() {
		return nil
	}
	return new(s.value)
}

// set records a value. Two sources may set the same value; two different values are a mistake, because neither author
// would notice that one is ignored.
func set[T any](d *definition, s *setting[T], source string, value T) {
	if s.isSet() && !reflect.DeepEqual(s.value, value) {
		d.mistake(
			fmt.Sprintf("%s sets %s, and %s sets %s", s.source, brief(s.value), source, brief(value)),
			"set it once",
		)
		return
	}
	s.value, s.source = value, source
}

// brief formats a value for an error message.
func brief(value any) string {
	if s, ok := value.(string); ok {
		return shorten(fmt.Sprintf("%q", s))
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
	if d.readOnly.value && d.destructive.value {
		d.mistake(
			fmt.Sprintf("the tool is read-only by %s and destructive by %s", d.readOnly.source, d.destructive.source),
			"a tool that deletes or overwrites is not read-only",
		)
	}
	if len(d.exceptMethods) > 0 && !d.ofService {
		d.mistake("the option ExceptMethods applies only to a service", "pass it to RegisterService or NewService")
	}
	d.checkTask()
	fs := &d.findings
	d.checkResource(fs)
	checkText(fs, "title", &d.title)
	checkText(fs, "description", &d.description)
	checkScopes(fs, &d.scopes)
	checkTimeout(fs, &d.timeout)
	checkRate(fs, &d.rate)
	checkConcurrent(fs, &d.concurrent)
	checkIcons(fs, d.icons.value)
	d.meta.value = encodeMeta(fs, d.meta.value)
	d.checkAttachments()
}

// checkText notes a text that is empty or not valid UTF-8.
func checkText(fs *findings, name string, s *setting[string]) {
	if s.isSet() && strings.TrimSpace(s.value) == "" {
		fs.add(name, s.source+" sets an empty text", "write one, or leave it out")
	}
	checkUTF8(fs, name, s.value)
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
