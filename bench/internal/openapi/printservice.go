package openapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// service returns the source of a type with a method per operation, and of the types that only it uses.
func (p *printer) service(s *Service) string {
	name := p.code(s.GoName)
	about := "of the API"
	if s.Group != "" {
		about = "of the group " + s.Group
	}
	var b strings.Builder
	b.WriteString(comment(fmt.Sprintf("%s has the operations %s.", name, about), s.Doc))
	fmt.Fprintf(&b, "type %s struct{ client *Client }\n\n", name)
	types := typesByOperation(s)
	for _, o := range s.Operations {
		b.WriteString(p.arguments(s, o) + "\n" + p.method(name, o) + "\n" + p.declarations(types[o.GoName]))
	}
	b.WriteString(p.declarations(types[""]))
	return b.String()
}

// typesByOperation returns the types of a service by the operation after which they are declared: the one with the longest
// name that theirs begins with, "" for none.
func typesByOperation(s *Service) map[string][]*Decl {
	types := map[string][]*Decl{}
	for _, d := range s.Types {
		owner := ""
		for _, o := range s.Operations {
			if strings.HasPrefix(d.GoName, o.GoName) && len(o.GoName) > len(owner) {
				owner = o.GoName
			}
		}
		types[owner] = append(types[owner], d)
	}
	return types
}

// arguments returns the struct with the arguments of an operation, whose blank field describes the tool.
func (p *printer) arguments(s *Service, o *Operation) string {
	name := p.code(o.Args.GoName)
	var keys []string
	if o.ToolName != defaultToolName(o.GoName) {
		keys = append(keys, "name="+tagEscapes.Replace(o.ToolName))
	}
	if o.ReadOnly {
		keys = append(keys, "readOnly")
	}
	if o.Destructive != nil {
		keys = append(keys, strings.TrimSuffix(fmt.Sprintf("destructive=%v", *o.Destructive), "=true"))
	}
	if o.Idempotent {
		keys = append(keys, "idempotent")
	}
	if s.Group != "" {
		keys = append(keys, "group="+tagEscapes.Replace(s.Group))
	}
	deprecated := map[bool]string{true: "deprecated"}[o.Deprecated]
	blank := structTag("mcp", strings.Join(keys, ","), "jsonschema", deprecated, "doc", clean(o.Description))
	return comment(fmt.Sprintf("%s has the arguments of %s.", name, o.ToolName)) + p.structType(name, blank, o.Args.Fields)
}

// tagEscapes escapes a value of the mcp tag.
var tagEscapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`)

var (
	lastCapital = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	nextWord    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	plural      = regexp.MustCompile(`[A-Z]s([A-Z]|$)`)
)

// defaultToolName returns the name that mcptool gives to the tool of a method by default. It returns "" for a method with a
// plural such as URLs, for which mcptool has another rule: the tag then sets the name.
func defaultToolName(method string) string {
	if plural.MatchString(method) {
		return ""
	}
	return strings.ToLower(nextWord.ReplaceAllString(lastCapital.ReplaceAllString(method, "${1}_${2}"), "${1}_${2}"))
}

// method returns the method that sends the request of an operation.
func (p *printer) method(service string, o *Operation) string {
	result, receive := p.result(o.Result)
	in := "in"
	if len(o.Params) == 0 && o.Body == nil {
		in = "_"
	}
	operation := o.Method + " " + o.Path
	notes := []string{fmt.Sprintf("%s is %s.", p.code(o.GoName), operation)}
	for _, n := range p.api.Notes {
		if n.Operation == operation && !n.LeftOut {
			notes = append(notes, note(n.Part, n.Text))
		}
	}
	var b strings.Builder
	b.WriteString(comment(notes...))
	fmt.Fprintf(&b, "func (s *%s) %s(ctx context.Context, %s %s) (%s, error) {\n", service, o.GoName, in, o.Args.GoName, result)
	fmt.Fprintf(&b, "\tr := s.client.request(%s, %s)\n", httpMethod(o.Method), strconv.Quote(o.Path))
	if o.BaseURL != "" {
		fmt.Fprintf(&b, "\tr.server(%s)\n", strconv.Quote(o.BaseURL))
	}
	if o.Security != nil {
		alternatives := make([]string, len(*o.Security))
		for i, alternative := range *o.Security {
			alternatives[i] = "requirement{" + stringLiterals(alternative) + "}"
		}
		fmt.Fprintf(&b, "\tr.auth(%s)\n", strings.Join(alternatives, ", "))
	}
	for _, param := range o.Params {
		usual := cmp.Or(map[string]string{"query": "form", "cookie": "form"}[param.In], "simple")
		styles := append([]string{""}, p.styleOf(cmp.Or(param.Style, usual), usual, param.Explode, param.Raw)...)
		b.WriteString(p.call(o, p.code(param.In), strconv.Quote(param.Name)+", ", param.Field, strings.Join(styles, ", ")))
	}
	if o.Body != nil {
		b.WriteString(p.body(o))
	}
	fmt.Fprintf(&b, "\treturn %s\n}\n", receive)
	return b.String()
}

// call returns the statement that passes an argument to a method of the request. A union is passed by pointer, so that it is
// written with its discriminator; nil is absent.
func (p *printer) call(o *Operation, method, before, field, after string) string {
	value := "in." + p.code(field)
	if slices.ContainsFunc(o.Args.Fields, func(f Field) bool { return f.GoName == field && p.unions[f.Type] }) {
		return fmt.Sprintf("\tif %s != nil {\n\t\tr.%s(%s&%s%s)\n\t}\n", value, method, before, value, after)
	}
	return fmt.Sprintf("\tr.%s(%s%s%s)\n", method, before, value, after)
}

// httpMethod returns the constant of an HTTP method.
func httpMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE":
		return "http.Method" + method[:1] + strings.ToLower(method[1:])
	}
	return strconv.Quote(method)
}

// stringLiterals returns a list of literals.
func stringLiterals(texts []string) string {
	literals := make([]string, len(texts))
	for i, text := range texts {
		literals[i] = strconv.Quote(text)
	}
	return strings.Join(literals, ", ")
}

// styleOf returns the constants of a style and what differs from its defaults. The usual style is left out.
func (p *printer) styleOf(style, usual string, explode, isRaw bool) (constants []string) {
	if style != usual {
		constants = append(constants, p.code(strings.Replace(style, "json", "asJSON", 1)))
	}
	if style != "json" && style != "deepObject" && explode != (style == "form") {
		constants = append(constants, map[bool]string{true: "exploded", false: "joined"}[explode])
	}
	if isRaw {
		constants = append(constants, "raw")
	}
	return constants
}

// result returns the Go type of a result, and the call that receives it.
func (p *printer) result(r Result) (goType, receive string) {
	arguments := "(ctx, r, " + strconv.Quote(r.MediaType) + ")"
	switch r.Kind {
	case ResultJSON:
		goType = p.code(r.Type)
		return goType, "receive[" + goType + "]" + arguments
	case ResultText:
		return "string", "receiveText" + arguments
	case ResultContent:
		return "mcptool.Content", "receiveContent" + arguments
	default:
		return "string", "receiveNothing(ctx, r)"
	}
}

// body returns the statements that set the body of a request.
func (p *printer) body(o *Operation) string {
	before, after := strconv.Quote(o.Body.MediaType)+", ", ""
	if o.Body.Kind == BodyForm || o.Body.Kind == BodyMultipart {
		before, after = "", p.parts(o.Body.Parts)
	}
	statement := p.call(o, p.code(string(o.Body.Kind)), before, o.Body.Field, after)
	if o.Body.Optional {
		statement += "\tr.optionalBody()\n"
	}
	return statement
}

// parts returns the arguments for the encoding of members of a form.
func (p *printer) parts(parts []Part) string {
	var b strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&b, ", part{name: %s", strconv.Quote(part.Name))
		if part.MediaType != "" {
			fmt.Fprintf(&b, ", mediaType: %s", strconv.Quote(part.MediaType))
		}
		if part.Style != "" {
			fmt.Fprintf(&b, ", style: %s", strings.Join(p.styleOf(part.Style, "", part.Explode, false), " | "))
		}
		b.WriteString("}")
	}
	return b.String()
}
