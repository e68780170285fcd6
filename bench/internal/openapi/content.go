package openapi

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/pb33f/libopenapi/datamodel/high/base"
	high "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"
)

// mediaType returns a media type without its parameters, in lower case.
func mediaType(s string) string {
	if t, _, err := mime.ParseMediaType(s); err == nil {
		return t
	}
	before, _, _ := strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(before))
}

func isJSON(s string) bool {
	s = mediaType(s)
	return s == "application/json" || s == "text/json" || strings.HasSuffix(s, "+json")
}

func isText(s string) bool {
	s = mediaType(s)
	return strings.HasPrefix(s, "text/") || strings.HasSuffix(s, "+xml") || strings.HasSuffix(s, "+yaml") ||
		slices.Contains([]string{"application/xml", "application/yaml", "application/x-yaml", "application/x-ndjson", "application/jsonl", "application/javascript", "application/graphql"}, s)
}

// kinds are the kinds of bodies, the best first. A media type is of the first kind that matches.
var kinds = []struct {
	kind  BodyKind
	match func(string) bool
}{
	{BodyJSON, func(s string) bool { return mediaType(s) == "application/json" }},
	{BodyJSON, func(s string) bool { return mediaType(s) == "application/merge-patch+json" }},
	{BodyJSON, func(s string) bool { return isJSON(s) && mediaType(s) != "application/json-patch+json" }},
	{BodyJSON, isJSON},
	{BodyForm, func(s string) bool { return mediaType(s) == "application/x-www-form-urlencoded" }},
	{BodyMultipart, func(s string) bool { return strings.HasPrefix(mediaType(s), "multipart/") }},
	{BodyText, isText},
	{BodyBytes, func(s string) bool { return strings.Contains(s, "/") }},
}

// isClosed reports whether only an empty object fits a schema: the body of an operation that has none.
func isClosed(proxy *base.SchemaProxy) bool {
	if proxy == nil || proxy.Schema() == nil {
		return false
	}
	s := proxy.Schema()
	return slices.Equal(s.Type, []string{"object"}) && orderedmap.Len(s.Properties) == 0 &&
		s.AdditionalProperties != nil && s.AdditionalProperties.IsB() && !s.AdditionalProperties.B && len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0
}

// body translates the body of a request: in the best of its media types.
func (t *translator) body(c *call) {
	b := c.op.RequestBody
	if b == nil || orderedmap.Len(b.Content) == 0 {
		return
	}
	if c.Method == http.MethodGet || c.Method == http.MethodHead {
		// Some documents have an empty form for every operation.
		if s := b.Content.First().Value().Schema; s != nil && s.Schema() != nil && (s.Schema().Properties == nil || s.Schema().Properties.Len() > 0) {
			t.note(c, "body", "a body of %s has no meaning in HTTP; it was left out", c.Method)
		}
		return
	}
	body, chosen := bestBody(b.Content)
	if chosen == nil {
		fail("body: %q is not a media type", b.Content.First().Key())
	}
	if !isTrue(b.Required) && isClosed(chosen.Schema) {
		return
	}
	var others []string
	for name := range b.Content.FromOldest() {
		if name != body.MediaType {
			others = append(others, plainText(name, 100))
		}
	}
	if others != nil {
		t.note(c, "body", "it may also be %s; it is sent as %s", strings.Join(others, ", "), body.MediaType)
	}
	if mediaType(body.MediaType) == "*/*" || body.MediaType == "application/*" {
		body.Kind, body.MediaType = BodyJSON, "application/json"
		if isString(chosen.Schema) {
			body.Kind, body.MediaType = BodyBytes, "application/octet-stream"
		}
	}
	if mediaType(body.MediaType) == "text/*" {
		body.MediaType = "text/plain"
	}
	if body.Kind == BodyMultipart && mediaType(body.MediaType) != "multipart/form-data" {
		t.note(c, "body", "it is sent as multipart/form-data instead of %s", body.MediaType)
	}
	body.Optional = !isTrue(b.Required)
	c.Body, c.content = body, chosen
	body.Parts = t.parts(c, chosen)
	t.bodyField(c, b, chosen)
}

// bestBody returns a body in the best of the media types that are described.
func bestBody(content *orderedmap.Map[string, *high.MediaType]) (*Body, *high.MediaType) {
	for _, k := range kinds {
		for name, m := range content.FromOldest() {
			if m != nil && k.match(name) {
				return &Body{Kind: k.kind, MediaType: name}, m
			}
		}
	}
	return nil, nil
}

// bodyField adds the body to the arguments: the members of an object beside the parameters, if no name is taken, and otherwise
// one argument.
func (t *translator) bodyField(c *call, b *high.RequestBody, m *high.MediaType) {
	u := use{Patch: c.Method == http.MethodPatch || strings.HasSuffix(mediaType(c.Body.MediaType), "merge-patch+json")}
	if c.Body.Kind == BodyMultipart {
		u.Files = 2
	}
	doc := plainText(b.Description, 200)
	if c.Body.Kind != BodyText && c.Body.Kind != BodyBytes && m.Schema != nil {
		ref := t.typer.of(place{c.where, "body", c.GoName + "Body"}, m.Schema, u)
		t.checkParts(c, ref)
		if c.Body.Kind != BodyJSON && strings.HasPrefix(ref.Go, "[]") {
			t.note(c, "body", "a form has names, so the elements of the list are sent with their indexes as names")
		}
		if c.embeds(ref) {
			c.Body.Field = ref.Go
			c.Args.Fields = append(c.Args.Fields, Field{GoName: ref.Go, Type: ref.Go, Doc: doc})
			return
		}
	}
	name := argument(c, "body", "content")
	field := Field{GoName: uniqueName(c.fields, goName(name), "", 0), JSON: name, Absent: c.Body.Optional}
	switch {
	case c.Body.Kind == BodyText:
		field.Type, field.Doc = "string", "The body, of the type "+c.Body.MediaType
	case c.Body.Kind == BodyBytes:
		field.Type, field.Doc = "[]byte", "The body, of the type "+c.Body.MediaType
	case m.Schema == nil:
		field.Type = "any"
	default:
		field = t.typer.field(place{c.where, "body", c.GoName + "Body"}, field.GoName, name, !c.Body.Optional, m.Schema, u)
	}
	if doc != "" {
		field.Doc = doc
	}
	c.Body.Field = field.GoName
	c.Args.Fields = append(c.Args.Fields, field)
}

// checkParts notes the parts of a form whose style cannot express all their values.
func (t *translator) checkParts(c *call, body typeRef) {
	for _, part := range c.Body.Parts {
		if body.Struct == nil {
			return
		}
		for _, f := range body.Struct.Fields {
			if f.JSON == part.Name {
				t.checkStyle(c, "body, part "+part.Name, part.Style, f.Type)
			}
		}
	}
}

// embeds reports whether the members of a body can be arguments like the parameters.
func (c *call) embeds(ref typeRef) bool {
	if ref.Struct == nil || ref.Nullable || len(ref.Struct.Fields) == 0 || strings.ContainsAny(ref.Go, ".*[") || c.fields[ref.Go] {
		return false
	}
	return !slices.ContainsFunc(ref.Struct.Fields, func(f Field) bool {
		// Members of an optional body cannot be required: without them, no body is sent.
		return f.JSON == "" || c.arguments[f.JSON] || !toolName.MatchString(f.JSON) || c.Body.Optional && !f.Absent
	})
}

// parts returns the parts of a form or multipart body with their own encoding.
func (t *translator) parts(c *call, m *high.MediaType) (parts []Part) {
	if m.Encoding == nil || c.Body.Kind != BodyForm && c.Body.Kind != BodyMultipart {
		return nil
	}
	for name, e := range m.Encoding.FromOldest() {
		p := Part{Name: name, Style: e.Style, Explode: e.Explode == nil && (e.Style == "" || e.Style == "form") || e.Explode != nil && *e.Explode}
		if p.Style != "" && !slices.Contains(locations[1].styles, p.Style) {
			t.note(c, "body, part "+name, "the style %q is not one of parts; it was left out", plainText(p.Style, 100))
			p.Style = ""
		}
		if p.Style == "" && e.Explode != nil {
			p.Style = "form"
		}
		if !strings.ContainsAny(e.ContentType, ",*") {
			p.MediaType = e.ContentType
		}
		if orderedmap.Len(e.Headers) > 0 {
			t.note(c, "body, part "+name, "its headers were left out")
		}
		if p != (Part{Name: name, Explode: p.Explode}) {
			parts = append(parts, p)
		}
	}
	return parts
}

// result translates the first successful response.
func (t *translator) result(c *call) {
	c.Result = Result{Kind: ResultNone}
	r := success(c.op.Responses)
	tool := c.ToolName
	members := t.keep[tool]
	t.kept[tool] = true
	if r == nil || !hasContent(r) || c.Method == http.MethodHead {
		if members != nil {
			t.note(c, "result", "it has no members to keep")
		}
		return
	}
	name, m := bestResult(r.Content)
	c.response = m
	switch {
	case isJSON(name) || strings.HasSuffix(name, "/*") && m.Schema != nil && !isString(m.Schema):
		c.Result = Result{Kind: ResultJSON, MediaType: strings.Replace(name, "*/*", "application/json", 1), Type: "any"}
		if m.Schema == nil {
			return
		}
		at := place{c.where, "result", c.GoName + "Result"}
		ref := t.typer.of(at, m.Schema, use{Result: true})
		if members != nil {
			ref = t.typer.prune(at, ref, members)
		}
		c.Result.Type = ref.Go
		if ref.Nullable && t.typer.needsPointer(ref.Go) {
			t.note(c, "result", "it may be null, which a result of this type cannot be; its type is any")
			c.Result.Type = "any"
		}
		return
	case isText(name):
		c.Result = Result{Kind: ResultText, MediaType: name}
		if mediaType(name) == "text/event-stream" {
			t.note(c, "result", "a stream of events; it is read to its end")
		}
	default:
		c.Result = Result{Kind: ResultContent, MediaType: name}
	}
	if members != nil {
		t.note(c, "result", "it is %s, which has no members to keep", name)
	}
}

// success returns the response with the lowest code of success that has a body, or else the lowest; the default response if none
// is described, unless it describes errors.
func success(responses *high.Responses) *high.Response {
	if responses == nil || responses.Codes == nil {
		return nil
	}
	var codes []string
	for code := range responses.Codes.KeysFromOldest() {
		if len(code) == 3 && code[0] == '2' {
			codes = append(codes, strings.ToUpper(code))
		}
	}
	slices.Sort(codes) // 2XX is last
	for _, code := range codes {
		if r := responses.Codes.GetOrZero(code); r != nil && hasContent(r) {
			return r
		}
	}
	if len(codes) > 0 || responses.Default == nil {
		return nil
	}
	text := strings.ToLower(responses.Default.Description)
	if !hasContent(responses.Default) {
		return nil
	}
	for _, m := range responses.Default.Content.FromOldest() {
		if m.Schema != nil {
			text += " " + strings.ToLower(m.Schema.GetReference())
		}
	}
	for _, word := range []string{"error", "fail", "problem", "unexpected", "invalid", "fault", "exception"} {
		if strings.Contains(text, word) {
			return nil
		}
	}
	return responses.Default
}

func hasContent(r *high.Response) bool { return orderedmap.Len(r.Content) > 0 }

// bestResult returns the media type of a response that serves a model best.
func bestResult(content *orderedmap.Map[string, *high.MediaType]) (string, *high.MediaType) {
	for _, match := range []func(string) bool{isJSON, func(s string) bool { return mediaType(s) == "*/*" }, isText} {
		for name, m := range content.FromOldest() {
			if match(name) {
				return name, m
			}
		}
	}
	first := content.First()
	return first.Key(), first.Value()
}

// isString reports whether a schema is one of strings.
func isString(s *base.SchemaProxy) bool {
	if s == nil {
		return false
	}
	schema := s.Schema()
	return schema != nil && slices.Contains(schema.Type, "string")
}
