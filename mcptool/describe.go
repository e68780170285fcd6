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
	headers    []private.ParamHeader

	findings
}

// definitionOf returns a definition with the settings in the tags of the argument struct and in the options.
func definitionOf(f authorFunc, kind itemKind, opts []Option) *definition {
	d := &definition{kind: kind, ofService: f.ofService}
	d.readTags(f.in)
	d.apply(opts)
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

// anySetting is a setting of any type.
type anySetting interface {
	isSet() bool
	origin() string
}

func (s *setting[T]) origin() string { return s.source }

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
)

// itemWords are the words for each kind in messages. The key is unique among items of the kind.
var itemWords = [...]struct{ noun, keyName, constructor string }{
	kindTool:     {"tool", "name", "New or NewRaw"},
	kindPrompt:   {"prompt", "name", "NewPrompt"},
	kindResource: {"resource", "URI", "NewResource"},
}

// String returns the noun: tool, prompt or resource.
func (k itemKind) String() string { return itemWords[k].noun }

// kindSet is a set of kinds of items.
type kindSet uint8

const (
	ofTools     kindSet = 1 << kindTool
	ofPrompts   kindSet = 1 << kindPrompt
	ofResources kindSet = 1 << kindResource
)

// has reports whether the set contains a kind; the empty set contains all.
func (s kindSet) has(k itemKind) bool { return s == 0 || s&(1<<k) != 0 }

// String lists the kinds: prompts and resources.
func (s kindSet) String() string {
	var nouns []string
	for k := range itemWords {
		if s.has(itemKind(k)) {
			nouns = append(nouns, itemKind(k).String()+"s")
		}
	}
	return strings.Join(nouns, " and ")
}

// optionsOfKinds are the options that apply to some kinds only and that no tag can set.
var optionsOfKinds = []struct {
	name  string
	kinds kindSet
	isSet func(*definition) bool
}{
	{"InputSchema", ofTools, func(d *definition) bool { return d.inputSchema.isSet() }},
	{"OutputSchema", ofTools, func(d *definition) bool { return d.outputSchema.isSet() }},
	{"OutputType", ofTools, func(d *definition) bool { return d.outputType.isSet() }},
	{"TaskTTL", ofTools, func(d *definition) bool { return d.taskTTL.isSet() }},
	{"PollInterval", ofTools, func(d *definition) bool { return d.pollInterval.isSet() }},
	{"Use", ofTools, func(d *definition) bool { return len(d.middleware) > 0 }},
	{"ExceptMethods", ofTools, func(d *definition) bool { return len(d.exceptMethods) > 0 }},
	{"Attach", ofTools, func(d *definition) bool { return len(d.attachments) > 0 }},
	{"Complete", ofPrompts | ofResources, func(d *definition) bool { return len(d.completers) > 0 }},
	{"ListWith", ofResources, func(d *definition) bool { return d.lister != nil }},
	{"Verbatim", ofResources, func(d *definition) bool { return d.verbatim.isSet() }},
}

// checkKind notes settings that do not apply to the kind of the item.
func (d *definition) checkKind() {
	refuse := func(what string, kinds kindSet) {
		d.mistake(fmt.Sprintf("%s applies to %s, and this is a %s", what, kinds, d.kind), "leave it out")
	}
	for _, key := range tagKeys {
		if s := key.of(d); s.isSet() && !key.kinds.has(d.kind) {
			refuse(fmt.Sprintf("%s, set by %s,", key.name, s.origin()), key.kinds)
		}
	}
	for _, o := range optionsOfKinds {
		if o.isSet(d) && !o.kinds.has(d.kind) {
			refuse("the option "+o.name, o.kinds)
		}
	}
	if d.kind == kindResource && d.lister != nil && !strings.Contains(d.uri.value, "{") {
		d.mistake("the option ListWith is for templates, and the URI has no variables", "leave it out")
	}
}
