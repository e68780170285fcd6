package mcptooltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// judgeMisfit checks the answer to arguments that do not fit: the func has not run, and the error describes what to
// correct.
func (t *itemTrial) judgeMisfit(p *peer, c *call, a *answer) {
	t.counts.misfits++
	if t.judgeDefect(p, c, a) {
		return
	}
	if !t.refuses(a) {
		t.unlike(p, c, string(a.raw), fmt.Sprintf("error %d that describes the mistakes: the arguments do not fit the schema", codeInvalidParams))
	}
}

// judgeDefect reports whether the call revealed a defect, and adds it to the report. An error that the func has
// returned is not a defect: it is also logged and not sent to clients, but the func may fail.
func (t *itemTrial) judgeDefect(p *peer, c *call, a *answer) bool {
	switch {
	case a.defect == nil:
		return false
	case a.defect.stack != "":
		t.unlike(p, c, a.defect.err+"\n"+below(a.defect.stack), "no panic")
	case isUnsendable(a.defect.err, t.name):
		t.unlike(p, c, a.defect.err, "a result that can be encoded")
	default:
		return false
	}
	return true
}

// isUnsendable reports whether an error is a mistake of the author, such as a [mcptool.OutputError], and not an error
// that the func has returned.
func isUnsendable(err, name string) bool {
	rest, found := strings.CutPrefix(err, name+": ")
	return found && slices.ContainsFunc([]string{"the result cannot be sent: ", "the question cannot be asked: ", "Once("}, func(begin string) bool {
		return strings.HasPrefix(rest, begin)
	})
}

// judgeFit checks the answer to arguments that fit.
func (t *itemTrial) judgeFit(p *peer, c *call, a *answer) {
	if t.judgeDefect(p, c, a) {
		return
	}
	switch {
	case a.refusal == nil:
		t.counts.answered++
		t.judgeResult(p, c, a)
	case t.refuses(a):
		t.counts.refused++
		t.counts.refusal = cmp.Or(t.counts.refusal, string(c.args)+": "+oneLine(a))
		if c.own || c.first || c.listed {
			t.unlike(p, c, string(a.raw), "a result: the arguments fit the schema, but the "+t.noun+" rejects them")
		}
	case t.item.resource != nil && isNotFound(p, a):
		t.counts.missing++
		switch {
		case c.listed:
			t.unlike(p, c, string(a.raw), "contents: listed resources must be readable")
		case c.own:
			t.unlike(p, c, string(a.raw), "contents: the option Arguments lists this URI")
		}
	case t.lacksCapability(p, a):
		t.counts.failed++
		t.needs(p, a)
	case a.refusal.Code == codeInternal || a.refusal.Code == codeInvalidRequest:
		t.counts.failed++
		t.counts.failure = cmp.Or(t.counts.failure, string(c.args)+": "+reasonOf(a))
		switch {
		case c.own:
			t.unlike(p, c, string(a.raw)+because(a), "a result: the option Arguments lists these arguments")
		case c.listed && t.item.isTemplate():
			t.unlike(p, c, string(a.raw)+because(a), "contents: listed resources must be readable")
		}
	default:
		t.unlike(p, c, string(a.raw), "a result, or an error of the "+t.noun)
	}
}

// needs records that the item sends requests to the client, which this client cannot answer.
func (t *itemTrial) needs(p *peer, a *answer) {
	if len(t.settings.answers[t.key]) == 0 {
		t.counts.needs = a.refusal.Message
		return
	}
	t.counts.lacks = cmp.Or(t.counts.lacks, oneLine(a))
	if !slices.Contains(t.counts.unasked, p.revision) {
		t.counts.unasked = append(t.counts.unasked, p.revision)
	}
}

// lacksCapability reports whether the reason of an error is that the client cannot be asked.
func (*itemTrial) lacksCapability(p *peer, a *answer) bool {
	return a.refusal.Code == codeMissingCapability || a.unasked && p.revision < elicitation ||
		strings.Contains(a.refusal.Message, (&mcptool.CapabilityError{}).Error())
}

// refuses reports whether the answer is the error for arguments that do not fit.
func (t *itemTrial) refuses(a *answer) bool {
	return a.refusal != nil && a.refusal.Code == codeInvalidParams && strings.HasPrefix(a.refusal.Message, t.name+": invalid arguments")
}

// isNotFound reports whether the answer is the error for a resource that is not found.
func isNotFound(p *peer, a *answer) bool {
	code := codeNotFound
	if p.modern {
		code = codeInvalidParams
	}
	return a.refusal.Code == code && a.refusal.Data.URI != nil
}

// reasonOf returns the reason why a call failed, from the log if it has one: clients may get less.
func reasonOf(a *answer) string {
	if a.defect != nil {
		return a.defect.err
	}
	return oneLine(a)
}

// because returns the reason in the log, as an addition to the answer; "" if nothing was logged.
func because(a *answer) string {
	if a.defect == nil {
		return ""
	}
	return "\n          caused by " + a.defect.err
}

// judgeResult checks a successful answer.
func (t *itemTrial) judgeResult(p *peer, c *call, a *answer) {
	if t.item.prompt != nil {
		t.judgeMessages(p, c, a)
		return
	}
	t.judgeContents(p, c, a)
}

// judgeMessages checks the messages of a prompt.
func (t *itemTrial) judgeMessages(p *peer, c *call, a *answer) {
	if len(a.result.Messages) == 0 {
		t.unlike(p, c, string(a.raw), "messages")
		return
	}
	for _, m := range a.result.Messages {
		if m.Role != "user" && m.Role != "assistant" || !m.Content.isKnownIn(p.revision) {
			t.unlike(p, c, string(a.raw), "messages with the role user or assistant, and content types of the revision")
			return
		}
		t.judgeLink(p, c, m.Content)
	}
}

// isKnownIn reports whether a revision has this content type.
func (b contentBlock) isKnownIn(revision string) bool {
	zero, ok := contentTypes[b.Type]
	return ok && internals.OlderContent(zero, revision, 0) == nil
}

// judgeContents checks the contents of a resource, and compares them with the announcement in the list.
func (t *itemTrial) judgeContents(p *peer, c *call, a *answer) {
	var uri string
	_ = json.Unmarshal(c.args, &uri) // it is a string
	if len(a.result.Contents) == 0 {
		t.unlike(p, c, string(a.raw), "at least one element in contents")
		return
	}
	announced := c.announced
	if announced == nil {
		link := t.item.resource.Link()
		announced = &announcement{mimeType: link.MIMEType, size: link.Size}
	}
	size, own := int64(0), false
	for _, part := range a.result.Contents {
		if part.URI == "" || (part.Text == nil) == (part.Blob == nil) {
			t.unlike(p, c, string(a.raw), "a URI, and either text or a blob, in each element of contents")
			return
		}
		if part.URI != uri {
			continue // one of the resources that this one consists of
		}
		own, size = true, size+part.size()
		if announced.mimeType != "" && !sameMedia(part.MIMEType, announced.mimeType) {
			t.unlike(p, c, "media type "+part.MIMEType, "the listed media type "+announced.mimeType)
		}
	}
	if own && announced.size != nil && size != *announced.size {
		t.unlike(p, c, fmt.Sprintf("%d bytes", size), fmt.Sprintf("the listed size, %d bytes", *announced.size))
	}
}

// sameMedia reports whether two media types are equal except for parameters.
func sameMedia(a, b string) bool {
	x, _, err := mime.ParseMediaType(a)
	y, _, err2 := mime.ParseMediaType(b)
	return err == nil && err2 == nil && x == y
}

// judgeLink checks a content block of a prompt if it is a link.
func (t *itemTrial) judgeLink(p *peer, c *call, b contentBlock) {
	if b.Type != "resource_link" {
		return
	}
	if why := deadLink(t.settings.registry, b.URI); why != "" {
		t.unlike(p, c, why, wantLink)
	}
}
