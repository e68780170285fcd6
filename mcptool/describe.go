package mcptool

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
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

	askFirst setting[string]

	task         setting[string]
	durable      setting[bool]
	taskTTL      setting[time.Duration]
	pollInterval setting[time.Duration]

	ofService     bool
	exceptMethods []string // of the option ExceptMethods

	middleware []Middleware
	shorten    private.Shorten // cuts lists of the result; nil if none may be cut

	mistakes []Mistake
}

// setting is one setting of a tool, with its source; the zero value means unset.
type setting[T any] struct {
	value  T
	source string
}

func (s *setting[T]) isSet() bool { return s.source != "" }

// anySetting is a setting of any type.
type anySetting interface {
	isSet() bool
	content() any
	origin() string
	take(from anySetting) // from has the same type
}

func (s *setting[T]) content() any   { return s.value }
func (s *setting[T]) origin() string { return s.source }

func (s *setting[T]) take(from anySetting) {
	if other, ok := from.(*setting[T]); ok {
		*s = *other
	}
}

// pointer returns the value of a hint with three states: true, false, unset.
func (s *setting[T]) pointer() *T {
	if !s.isSet() {
		return nil
	}
	value := s.value
	return &value
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
	d.mistakes = append(d.mistakes, Mistake{Reason: reason, Fix: fix})
}

// apply reads the options in order.
func (d *definition) apply(opts []Option) {
	for i, opt := range opts {
		if opt == nil {
			d.mistake(fmt.Sprintf("option %d is nil", i+1), "leave it out")
			continue
		}
		opt.describe(d)
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
	d.checkKind()
	d.checkTask()
	var fs findings
	d.checkResource(&fs)
	checkText(&fs, "title", &d.title)
	checkText(&fs, "description", &d.description)
	checkScopes(&fs, &d.scopes)
	checkTimeout(&fs, &d.timeout)
	checkRate(&fs, &d.rate)
	checkConcurrent(&fs, &d.concurrent)
	checkIcons(&fs, d.icons.value)
	d.meta.value = encodeMeta(&fs, d.meta.value)
	d.checkAttachments()
	for _, f := range fs.list {
		d.mistakes = append(d.mistakes, Mistake{Path: f.path, Reason: f.reason, Fix: f.fix})
	}
}

func (d *definition) annotations() ToolAnnotations {
	return ToolAnnotations{
		ReadOnlyHint:    d.readOnly.pointer(),
		DestructiveHint: d.destructive.pointer(),
		IdempotentHint:  d.idempotent.pointer(),
		OpenWorldHint:   d.openWorld.pointer(),
	}
}

// checkText notes a text that is empty or not valid UTF-8.
func checkText(fs *findings, name string, s *setting[string]) {
	if s.isSet() && strings.TrimSpace(s.value) == "" {
		fs.add(name, s.source+" sets an empty text", "write one, or leave it out")
	}
	checkUTF8(fs, name, s.value)
}
