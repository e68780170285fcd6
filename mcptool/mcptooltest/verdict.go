package mcptooltest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
)

// judgeMisfit checks the answer to arguments that do not fit: the error describes what to correct, and the tool has not
// run.
func (t *trial) judgeMisfit(p *peer, c *call, a *answer) {
	t.counts.misfits++
	if t.judgeDefect(p, c, a) {
		return
	}
	if a.result == nil || !a.result.IsError || a.result.text() == "" {
		t.unlike(p, c, string(a.raw), `a result with "isError":true that describes the mistakes: the arguments do not fit the input schema`)
	}
}

// judgeDefect reports whether the call revealed a defect, and adds it to the report.
func (t *trial) judgeDefect(p *peer, c *call, a *answer) bool {
	switch {
	case a.defect == nil:
		return false
	case a.defect.stack != "":
		t.unlike(p, c, a.defect.err+"\n"+below(a.defect.stack), "no panic")
	case strings.Contains(a.defect.err, (&mcptool.AskError{Err: replay.ErrIgnored}).Error()):
		t.unlike(p, c, a.defect.err, "the tool to return the error ErrAnswerPending, so that the user can be asked")
	default:
		t.unlike(p, c, a.defect.err, "a result that can be encoded and fits the output schema")
	}
	return true
}

// judgeFit checks the answer to arguments that fit the schema.
func (t *trial) judgeFit(k int, c *call, a *answer) {
	p := t.peers[k]
	if t.judgeDefect(p, c, a) {
		return
	}
	switch {
	case t.refuses(a):
		t.counts.refused++
		t.counts.refusal = cmp.Or(t.counts.refusal, string(c.args)+": "+oneLine(a))
		if c.own || c.first {
			t.unlike(p, c, string(a.raw), "a result: the arguments fit the schema, but the tool rejects them; describe the constraint in the schema")
		}
	case a.refusal != nil && a.refusal.Code == codeMissingCapability:
		t.counts.failed++
		t.counts.needs = a.refusal.Message
	case a.result != nil && a.result.IsError && t.lacksCapability(p, a):
		t.counts.failed++
		if len(t.settings.answers[t.tool.Info().Name]) == 0 {
			t.counts.needs = oneLine(a)
			return
		}
		t.counts.lacks = cmp.Or(t.counts.lacks, oneLine(a))
		if !slices.Contains(t.counts.unasked, p.revision) {
			t.counts.unasked = append(t.counts.unasked, p.revision)
		}
	case a.refusal != nil:
		t.unlike(p, c, string(a.raw), "a result, with isError if the tool fails: models do not see JSON-RPC errors")
	case a.result.IsError:
		t.counts.failed++
		t.counts.failure = cmp.Or(t.counts.failure, string(c.args)+": "+oneLine(a))
		switch {
		case c.own:
			t.unlike(p, c, string(a.raw), "a result without isError: the option Arguments lists these arguments")
		case len(a.result.Content) == 0:
			t.unlike(p, c, string(a.raw), "an error with the reason in its content")
		}
	default:
		t.counts.answered++
		t.judgeResult(k, c, a)
	}
}

// lacksCapability reports whether the reason of an error result is that the client cannot be asked. If there are
// answers and the revision does not support questions, any text is accepted; otherwise it must be that of a
// [mcptool.CapabilityError], for which later revisions have a JSON-RPC error.
func (t *trial) lacksCapability(p *peer, a *answer) bool {
	text := a.result.text()
	return a.unasked && p.revision < elicitation && text != "" ||
		strings.Contains(text, (&mcptool.CapabilityError{}).Error())
}

// refuses reports whether the answer is the error for arguments that do not fit.
func (t *trial) refuses(a *answer) bool {
	return a.result != nil && a.result.IsError && strings.HasPrefix(a.result.text(), t.tool.Info().Name+": invalid arguments")
}

// judgeResult checks a successful answer.
func (t *trial) judgeResult(k int, c *call, a *answer) {
	p, promised, structured := t.peers[k], t.outputs[k], a.result.StructuredContent
	if !t.judgeLinks(p, c, a) {
		return
	}
	if promised != nil {
		if structured == nil {
			t.unlike(p, c, string(a.raw), "structuredContent: the tool has an output schema")
			return
		}
		if err := schemas.Judge(promised, structured); err != nil {
			t.unlike(p, c, string(structured)+"\n          invalid: "+strings.ReplaceAll(err.Error(), "\n", "\n          "), "structuredContent that fits the output schema in tools/list")
		}
	}
	if structured != nil && !a.result.says(structured) {
		t.unlike(p, c, string(a.raw), "a text block with the value of structuredContent, for clients that read only text")
	}
}

// judgeLinks checks the links in the result of a tool, and reports whether they are correct.
func (t *trial) judgeLinks(p *peer, c *call, a *answer) (good bool) {
	for _, b := range a.result.Content {
		if b.Type != "resource_link" {
			continue
		}
		if why := deadLink(t.settings.registry, b.URI); why != "" {
			t.unlike(p, c, why, wantLink)
			return false
		}
	}
	return true
}

// says reports whether one of the text blocks is this JSON, or the text of a JSON string. The JSON may be wrapped in an
// object, for clients that require one.
func (r *callResult) says(structured json.RawMessage) bool {
	var wrapped struct{ Result json.RawMessage }
	_ = json.Unmarshal(structured, &wrapped) // fails if it is not wrapped
	for _, value := range []json.RawMessage{structured, wrapped.Result} {
		for _, block := range r.Content {
			if block.Type == "text" && (sameJSON([]byte(block.Text), value) || sameString(block.Text, value)) {
				return true
			}
		}
	}
	return false
}

// sameJSON reports whether two texts are the same JSON except for white space.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// oneLine returns the first two lines of the error text of an answer, as one line.
func oneLine(a *answer) string {
	var text string
	if a.refusal != nil {
		text = a.refusal.Message
	} else {
		text = a.result.text()
	}
	lines := strings.SplitN(text, "\n", 3)
	return strings.Join(lines[:min(2, len(lines))], " ")
}

// maxFrames is how many frames of a stack are shown.
const maxFrames = 3

// below returns the part of a stack below the call of panic, without the frames of the recovery.
func below(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "panic(") }); i >= 0 {
		lines = lines[min(i+2, len(lines)):] // a frame has two lines
	}
	return "          " + strings.Join(lines[:min(2*maxFrames, len(lines))], "\n          ")
}
