package mcptool

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

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

// checkTask notes settings that tasks cannot have.
func (d *definition) checkTask() {
	known := []TaskSupport{TaskSupportForbidden, TaskSupportOptional, TaskSupportRequired}
	if d.isSet(&d.Task) && !slices.Contains(known, d.Task) {
		d.mistake(d.source(&d.Task)+" sets task to "+brief(d.Task), "write task=optional, task=required or task=forbidden")
	}
	isTask := d.Task != "" && d.Task != TaskSupportForbidden
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
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.String()+", which allows no calls", fix)
	case r.Calls > math.MaxInt32 || r.Burst > math.MaxInt32:
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.String()+", which is too high for a limit", fix)
	}
}

// checkResource notes values that a resource cannot have.
func (d *definition) checkResource(fs *findings) {
	if d.lister != nil && !strings.Contains(d.uri, "{") {
		d.mistake("the option ListWith is for templates, and the URI has no variables", "leave it out")
	}
	if d.isSet(&d.mimeType) && d.mimeType == "" {
		fs.add("mimeType", d.source(&d.mimeType)+" sets an empty text", "write a media type, or leave it out")
	}
	checkMIMEType(fs, d.mimeType)
	if d.size != nil && *d.size < 0 {
		fs.add("size", fmt.Sprintf("%d is negative", *d.size), "leave it out when it is unknown")
	}
	if audience := &d.notes.Audience; d.isSet(audience) && len(*audience) == 0 {
		fs.add("audience", d.source(audience)+" is empty", `write "user" or "assistant", or leave it out`)
	}
	d.notes.check(fs)
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
