package results

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonquery"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
)

// middleware cuts the results of a tool that exceed its budget, and keeps them.
func (x *extension) middleware(next mcptool.Handler) mcptool.Handler {
	return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		c := &running{extension: x}
		c.budget.Store(int64(x.options.Budget))
		res, err := next(context.WithValue(ctx, runningKey{}, c), args)
		budget := int(c.budget.Load())
		if err != nil || res == nil || budget < 0 {
			return res, err
		}
		if isTooLarge, err := enter(ctx, res); isTooLarge || err != nil {
			return res, err
		}
		return x.fit(ctx, res, budget), nil
	}
}

// enter waits until the response of the call may be made, if it is long: as for other long results, few are made at once,
// because each takes memory. It reports whether the texts are so large that the server refuses them.
func enter(ctx context.Context, res *mcptool.Result) (isTooLarge bool, err error) {
	size := 0
	for _, block := range res.Content {
		if text := textOf(block); text != nil {
			size += len(*text)
		}
	}
	server := callctx.Of(ctx).Server
	if server == nil || size < callctx.Long {
		return false, nil
	}
	if _, most := server.Sizes(); size > most {
		return true, nil
	}
	return false, server.EnterResponse()
}

// wantsWhole reports whether the client or the operator wants results as they are: the request has the member "whole" in
// its _meta, or the caller cannot read the rest because read_result is not selected or not visible.
func (x *extension) wantsWhole(ctx context.Context) bool {
	return string(rawjson.Lookup(rawjson.Lookup(mcptool.Caller(ctx).Meta, ID), "whole")) == "true" || !runtime.IsVisible(ctx, x.tool)
}

// fit returns a result within the budget.
func (x *extension) fit(ctx context.Context, res *mcptool.Result, budget int) *mcptool.Result {
	name := mcptool.Caller(ctx).Tool
	if name == x.tool.Info().Name {
		return res
	}
	parts, err := partsOf(res, func(text string) string { return runtime.Redact(ctx, text) })
	size := 0
	for _, p := range parts {
		size += p.weight
	}
	if err != nil || size <= budget || x.wantsWhole(ctx) {
		return res // an error is one of the tool, which the check of the result reports
	}
	tool, _ := x.registry.Lookup(name)
	c := &shortened{tool: tool, budget: budget, hasMore: schemaOf(tool).Root.Get("properties").Get(moreName) != nil}
	if c.doc, err = keptDocument(parts); err != nil {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: err.Error()}}, Meta: res.Meta}
	}
	if c.handle, c.expires, err = x.keeper.save(ctx, name, c.doc); err != nil {
		c.failure = failureOf(ctx, err)
	}
	c.reader = x.tool.Info().Name
	return c.result(res, parts)
}

// failureOf returns why a result was not kept, for the model. The errors of stores may contain what no client should know.
func failureOf(ctx context.Context, err error) string {
	if tooLarge, ok := errors.AsType[sizeError](err); ok {
		return tooLarge.Error()
	}
	if errors.Is(err, task.ErrFull) {
		return task.ErrFull.Error()
	}
	slog.ErrorContext(ctx, "a result was not kept, and its caller cannot read all of it", slog.Any("error", err))
	return "the store failed"
}

// shortened is a result that is made smaller.
type shortened struct {
	tool    *mcptool.Tool // nil if the registry no longer has it
	doc     *jsonquery.Document
	budget  int
	reader  string // the name of read_result
	handle  string // "" if it could not be kept
	expires time.Time
	failure string // why it could not be kept
	hasMore bool   // the schema lists the member _more
	cuts    []jsonquery.Cut
	whole   []int32 // the nodes of parts that could not be cut
}

// report is the member of _meta of a result with the key [ID].
type report struct {
	Handle  string          `json:"handle,omitempty"`
	Expires string          `json:"expires,omitempty"`
	Bytes   int             `json:"bytes"`
	Cut     []jsonquery.Cut `json:"cut"`
	More    int             `json:"more,omitempty"`
	Shape   string          `json:"shape"`
}

const (
	reported = 5   // cuts
	pathSize = 100 // the longest path of a reported cut
	framing  = 400 // bytes of a result around its parts
	moreSize = 400 // of a member _more, in bytes
)

// result returns the result with its parts cut. The structured part and the texts get what the notice leaves of the budget.
func (s *shortened) result(res *mcptool.Result, parts []part) *mcptool.Result {
	var text string
	var notice report
	reserve := framing
	if s.hasMore = s.hasMore && s.budget >= 10*moreSize; s.hasMore {
		reserve += 2 * moreSize
	}
	const attempts = 5
	room := s.budget - reserve - s.budget/4
	for attempt := range attempts {
		s.cuts, s.whole = nil, nil
		s.cut(parts, room)
		slices.SortStableFunc(s.cuts, func(a, b jsonquery.Cut) int { return cmp.Compare(b.Total-b.Shown, a.Total-a.Shown) })
		text, notice = s.notice(min(s.budget/8, maxShape))
		size := reserve + rawjson.QuotedSize(encode(text)) + len(encode(notice))
		if attempt == 0 { // the size of the notice is known now
			room = s.budget - size
			continue
		}
		for _, p := range parts {
			size += p.weigh(p.value)
		}
		if size <= s.budget {
			break
		}
		room -= size - s.budget
	}
	out := *res
	out.Meta = maps.Clone(res.Meta)
	if out.Meta == nil {
		out.Meta = map[string]any{}
	}
	out.Meta[ID] = notice
	if parts[0].content < 0 {
		if out.Structured = nil; parts[0].value != nil {
			out.Structured = s.withMore(parts[0].value)
		} else if s.tool != nil && s.tool.OutputSchema() != nil && !res.IsError {
			// The protocol requires a structured part that fits the schema, except in an error.
			out.IsError = true
			text = "The call succeeded. " + text
		}
	}
	out.Content = []mcptool.Content{mcptool.Text{Text: text}}
	for i, block := range res.Content {
		at := slices.IndexFunc(parts, func(p part) bool { return p.content == i })
		switch {
		case at < 0 && textOf(block) == nil:
			out.Content = append(out.Content, block)
		case at >= 0 && parts[at].value != nil:
			out.Content = append(out.Content, withText(block, parts[at].text()))
		}
	}
	return &out
}

// cut cuts the parts so that together they have at most size bytes: the small ones stay as they are, the others get equal shares.
func (s *shortened) cut(parts []part, size int) {
	order := make([]*part, len(parts))
	for i := range parts {
		order[i] = &parts[i]
	}
	slices.SortStableFunc(order, func(a, b *part) int { return cmp.Compare(a.weight, b.weight) })
	for i, p := range order {
		share := max(size, 0) / (len(order) - i)
		if p.weight <= share {
			p.value = p.raw
			size -= p.weight
			continue
		}
		var cuts []jsonquery.Cut
		if p.value, cuts = s.cutPart(p, share); p.value == nil {
			s.whole = append(s.whole, p.node)
			continue
		}
		s.cuts = append(s.cuts, cuts...)
		size -= p.weigh(p.value)
	}
}

// cutPart returns a part with at most size bytes as sent; nil if it cannot be cut.
func (s *shortened) cutPart(p *part, size int) ([]byte, []jsonquery.Cut) {
	var schema jsonquery.Schema
	if p.content < 0 {
		schema = schemaOf(s.tool)
	}
	const attempts = 5
	room := int(int64(len(p.raw)) * int64(size) / int64(p.weight))
	for range attempts {
		value, cuts, ok := s.doc.Cut(p.node, schema, room)
		if !ok {
			return nil, nil
		}
		weight := p.weigh(value)
		if weight <= size {
			return value, cuts
		}
		room = min(len(value)*size/weight, len(value)-1) // less than the value
	}
	return nil, nil
}

// maxShape is the largest size of a shape in a notice, in bytes.
const maxShape = 500

// schemaOf returns the output schema of a tool; zero if it has none, or is nil.
func schemaOf(t *mcptool.Tool) jsonquery.Schema {
	if t == nil || t.OutputSchema() == nil {
		return jsonquery.Schema{}
	}
	return jsonquery.Schema{Root: jsondoc.Parse(t.OutputSchema().JSON()), Check: func(value []byte) (violations []string) {
		invalid, _ := errors.AsType[*reflectschema.InvalidError](t.OutputSchema().Check(value))
		if invalid == nil {
			return nil
		}
		for _, v := range invalid.Violations {
			violations = append(violations, v.Pointer)
		}
		return violations
	}}
}

// notice returns the text about the cut for the model, and the report for programs, with a shape of at most shapeSize bytes.
func (s *shortened) notice(shapeSize int) (text string, _ report) {
	shape := s.doc.Shape(s.subject(), shapeSize)
	size := len(s.doc.JSON(0))
	r := report{Bytes: size, Cut: []jsonquery.Cut{}, Shape: shape, Handle: s.handle}
	for _, c := range s.cuts {
		if len(r.Cut) < reported && len(c.Path) <= pathSize {
			r.Cut = append(r.Cut, c)
		}
	}
	r.More = len(s.cuts) - len(r.Cut)
	var b strings.Builder
	fmt.Fprintf(&b, "This result has %s, so only a part of it is here.", bytesize.Text(int64(size)))
	for _, c := range r.Cut {
		b.WriteString(" " + sentence(c))
	}
	if len(s.whole) > 0 {
		b.WriteString(" What cannot be cut was left out.")
	}
	if s.handle == "" {
		fmt.Fprintf(&b, " The rest was not kept: %s. To see it, use narrower arguments. Shape of %s: %s", s.failure, nameOf(s.subjectPath()), shape)
		return b.String(), r
	}
	r.Expires = s.expires.Format(time.RFC3339)
	arguments := encode(struct {
		Handle string `json:"handle"`
		Path   string `json:"path,omitempty"`
	}{s.handle, s.subjectPath()})
	fmt.Fprintf(&b, " Everything is kept until %s. To page, filter, sort, group, count or search it, call %s with %s. Shape of %s: %s",
		s.expires.Format("15:04 MST"), s.reader, arguments, nameOf(s.subjectPath()), shape)
	return b.String(), r
}

// sentence returns a sentence about a part that was cut.
func sentence(c jsonquery.Cut) string {
	return fmt.Sprintf("%s: the first %d of %d %s.", cmp.Or(c.Path, "The result"), c.Shown, c.Total, c.Unit)
}

// subjectPath returns the path of the part of which most is missing.
func (s *shortened) subjectPath() string {
	if path := s.doc.Path(s.subject()); len(path) <= pathSize {
		return path
	}
	return ""
}

// subject returns the node of which most is missing.
func (s *shortened) subject() int32 {
	if len(s.cuts) == 0 {
		return 0
	}
	return s.cuts[0].Node
}

// nameOf returns a path for a text.
func nameOf(path string) string { return cmp.Or(path, "the result") }

// More is for a member of an output type with the name "_more", by which models that are shown only the structured part of
// results find out that a result was cut:
//
//	More *results.More `json:"_more,omitzero"`
//
// The extension sets it. The func leaves it nil.
type More struct {
	Handle string `json:"handle" doc:"For read_result, which returns the rest."`
	Note   string `json:"note" doc:"What is missing."`
}

const moreName = "_more"

// withMore adds the member _more to a structured part, if the schema allows that.
func (s *shortened) withMore(value []byte) json.RawMessage {
	if !s.hasMore || s.handle == "" || rawjson.KindOf(value) != rawjson.Object {
		return value
	}
	note := "Only a part is here."
	if len(s.cuts) > 0 && len(s.cuts[0].Path) <= pathSize {
		note = sentence(s.cuts[0])
	}
	note += " " + s.reader + " returns the rest."
	more := append(rawjson.AppendName(slices.Clip(value[:len(value)-1]), moreName), encode(More{s.handle, note})...)
	if more = append(more, '}'); s.tool.OutputSchema().Check(more) != nil {
		return value
	}
	return more
}

// encode returns a value as JSON.
func encode(value any) json.RawMessage {
	raw, _ := json.Marshal(value) // cannot fail: strings, numbers and JSON
	return raw
}
