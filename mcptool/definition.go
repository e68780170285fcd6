package mcptool

import (
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

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
	d.checkResource()
	d.checkText("title", &d.Title)
	d.checkText("description", &d.Description)
	checkAboveZero(d, "timeout", &d.Timeout, "set more than zero, or leave it out for the default of the server")
	d.checkRate()
	checkAboveZero(d, "concurrent", &d.Concurrent, "at least one call must be able to run; leave it out for no limit")
	checkIcons(&d.findings, d.Icons)
	d.Meta = encodeMeta(&d.findings, d.Meta)
	d.describeGroups()
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

// checkTask notes settings that tasks cannot have.
func (d *definition) checkTask() {
	known := []TaskSupport{private.TaskForbidden, TaskSupportOptional, TaskSupportRequired}
	if d.isSet(&d.Task) && !slices.Contains(known, d.Task) {
		d.mistake(d.source(&d.Task)+" sets task to "+brief(d.Task), "write task=optional, task=required or task=forbidden")
	}
	isTask := d.Task != "" && d.Task != private.TaskForbidden
	if d.Durable && !isTask {
		d.mistake(d.source(&d.Durable)+" applies only to tasks, which the tool does not support", "pass Task(TaskSupportOptional), or write task=optional in the tag")
	}
	for _, s := range []*time.Duration{&d.TaskTTL, &d.PollInterval} {
		switch {
		case !d.isSet(s):
		case !isTask:
			d.mistake(d.source(s)+" applies only to tasks, which the tool does not support", "pass Task(TaskSupportOptional)")
		case *s < time.Millisecond:
			d.mistake(d.source(s)+" is "+s.String(), "pass a millisecond or more")
		}
	}
}

// checkRate notes a rate that is not valid, or allows no calls.
func (d *definition) checkRate() {
	if !d.isSet(&d.Rate) {
		return
	}
	const fix = "write how many calls in which time, Rate{Calls: 100, Per: time.Minute}, or leave it out"
	switch r := d.Rate; {
	case r.Calls <= 0 || r.Per < 0 || r.Burst < 0:
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.inTag()+", which allows no calls", fix)
	case r.Calls > math.MaxInt32 || r.Burst > math.MaxInt32:
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.inTag()+", which is too high for a limit", fix)
	}
}

// checkResource notes values that a resource cannot have.
func (d *definition) checkResource() {
	if d.lister != nil && !strings.Contains(d.uri, "{") {
		d.mistake("the option ListWith is for templates, and the URI has no variables", "leave it out")
	}
	if d.isSet(&d.mimeType) && d.mimeType == "" {
		d.add("mimeType", d.source(&d.mimeType)+" sets an empty text", "write a media type, or leave it out")
	}
	checkMIMEType(&d.findings, d.mimeType)
	if d.size != nil && *d.size < 0 {
		d.add("size", fmt.Sprintf("%d is negative", *d.size), "leave it out when it is unknown")
	}
	if audience := &d.notes.Audience; d.isSet(audience) && len(*audience) == 0 {
		d.add("audience", d.source(audience)+" is empty", `write "user" or "assistant", or leave it out`)
	}
	d.notes.check(&d.findings)
}

// checkAttachments notes members of _meta that are set twice.
func (d *definition) checkAttachments() {
	joined := d.Meta
	for _, a := range d.Attachments {
		var twice string
		if joined, twice = joinMeta(joined, a.Meta); twice != "" {
			d.mistake(fmt.Sprintf("_meta.%s is set twice, the second time by an attachment of %s", twice, a.Extension.ID), "set it once")
		}
	}
}
