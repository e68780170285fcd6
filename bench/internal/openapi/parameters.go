package openapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	high "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"
)

// operation translates the arguments, the result and the security of a call.
func (t *translator) operation(c *call) {
	c.arguments, c.fields = map[string]bool{}, map[string]bool{}
	t.parameters(c)
	t.body(c)
	t.result(c)
	servers := c.op.Servers
	if len(servers) == 0 {
		servers = c.item.Servers
	}
	if len(servers) > 0 {
		c.BaseURL = t.baseURL(c, servers, t.api.BaseURL)
	}
	if c.op.Security != nil {
		security := t.security(c, c.op.Security)
		c.Security = &security
	}
	if orderedmap.Len(c.op.Callbacks) > 0 {
		t.note(c, "callbacks", "requests of the API to its clients; they were left out")
	}
	c.Example = c.example()
}

// locations has the styles of parameters, by their location in the order of arguments. The first style is the default.
var locations = []struct {
	in     string
	styles []string
}{
	{"path", []string{"simple", "label", "matrix"}},
	{"query", []string{"form", "spaceDelimited", "pipeDelimited", "deepObject"}},
	{"header", []string{"simple"}},
	{"cookie", []string{"form"}},
}

// ownHeaders lists headers that net/http sets, and with Accept-Encoding decodes.
var ownHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters returns the parameters of the path and the operation. Those of the operation replace equal ones of the path.
func (c *call) parameters() (list []*high.Parameter) {
	for _, p := range slices.Concat(c.item.Parameters, c.op.Parameters) {
		if p == nil {
			continue
		}
		same := func(other *high.Parameter) bool { return other.Name == p.Name && other.In == p.In }
		if at := slices.IndexFunc(list, same); at >= 0 {
			list[at] = p
			continue
		}
		list = append(list, p)
	}
	return list
}

// parameters translates the parameters of a path and its operation.
func (t *translator) parameters(c *call) {
	list := c.parameters()
	inPath := map[string]bool{}
	for _, match := range placeholder.FindAllStringSubmatch(c.Path, -1) {
		inPath[match[1]] = true
		if !slices.ContainsFunc(list, func(p *high.Parameter) bool { return p.In == "path" && p.Name == match[1] }) {
			t.note(c, "parameter "+match[1], "the path has it, but the document does not describe it; it became a string")
			list = append(list, &high.Parameter{Name: match[1], In: "path"})
		}
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(c.Path, ""), "{}") || inPath[""] {
		fail("the braces of the path do not match")
	}
	for _, location := range locations {
		for _, p := range list {
			switch {
			case p.In != location.in:
			case p.In == "path" && !inPath[p.Name]:
				t.note(c, "parameter "+p.Name, "the path does not have it; it was left out")
			case p.In == "header" && (!isToken(p.Name) || !t.sendsHeader(c, p.Name)):
			default:
				t.parameter(c, p, location.styles)
			}
		}
	}
	t.noParameters(c, list)
}

// noParameters notes the parameters that HTTP cannot send. A required one is an error.
func (t *translator) noParameters(c *call, list []*high.Parameter) {
	for _, p := range list {
		var reason string
		switch {
		case !slices.Contains([]string{"path", "query", "header", "cookie"}, p.In):
			reason = fmt.Sprintf("%q is not a location of parameters", p.In)
		case p.In == "header" && !isToken(p.Name):
			reason = fmt.Sprintf("%q is not the name of a header", p.Name)
		default:
			continue
		}
		if isTrue(p.Required) {
			fail("parameter %s: %s", p.Name, reason)
		}
		t.note(c, "parameter "+p.Name, "%s; it was left out", reason)
	}
}

// sendsHeader reports whether a header is an argument.
func (t *translator) sendsHeader(c *call, name string) bool {
	switch key := http.CanonicalHeaderKey(name); {
	case slices.Contains([]string{"Accept", "Content-Type", "Authorization"}, key):
		// OpenAPI ignores parameters with these names: media types and security schemes describe the headers.
	case slices.Contains(ownHeaders, key):
		t.note(c, "parameter "+name, "HTTP clients set this header themselves; it was left out")
	default:
		return true
	}
	return false
}

// isToken reports whether HTTP allows s as the name of a header or cookie.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// parameter adds a parameter to the arguments.
func (t *translator) parameter(c *call, p *high.Parameter, styles []string) {
	required := p.In == "path" || isTrue(p.Required)
	out := Param{Name: p.Name, In: p.In, Style: p.EffectiveStyle(), Explode: p.EffectiveExplode(), Raw: p.AllowReserved && p.In == "query"}
	schema := p.Schema
	if orderedmap.Len(p.Content) > 0 {
		first := p.Content.First()
		schema, out.Style, out.Explode = first.Value().Schema, styles[0], false
		if isJSON(first.Key()) {
			out.Style = "json"
		}
	} else if !slices.Contains(styles, out.Style) {
		t.note(c, "parameter "+p.Name, "the style %q is not one of %s parameters; it is sent as %s", out.Style, p.In, styles[0])
		out.Style = styles[0]
	}
	name := argument(c, p.Name, p.In)
	goField := uniqueName(c.fields, goName(name), "", 0)
	field := Field{GoName: goField, JSON: name, Type: "string", Absent: !required}
	switch {
	case schema != nil:
		field = t.typer.field(place{c.where, "parameter " + p.Name, c.Args.GoName + goField}, goField, name, required, schema, use{})
	case !required:
		field.Type = "*string"
	}
	t.checkStyle(c, "parameter "+p.Name, out.Style, field.Type)
	if doc := plainText(p.Description, 200); doc != "" {
		field.Doc = doc
	}
	if p.Deprecated {
		field.Doc = strings.TrimSpace("Deprecated. " + field.Doc)
	}
	out.Field = field.GoName
	c.described = append(c.described, p)
	c.Params, c.Args.Fields = append(c.Params, out), append(c.Args.Fields, field)
}

// checkStyle notes that a style cannot express all values of a type.
func (t *translator) checkStyle(c *call, part, style, goType string) {
	if style != "" && style != "json" && style != "deepObject" && t.typer.nests(goType) {
		t.note(c, part, "the style %s has no form for lists and objects in the value; a call with one is refused", style)
	}
}

// argument returns the name of an argument in JSON: the name in the document, if clients accept it and it is not taken.
func argument(c *call, name, in string) string {
	if !toolName.MatchString(name) {
		name = snakeName(name)
	}
	if name == "" {
		name = "parameter"
	}
	if c.arguments[name] {
		name += "_" + in
	}
	return uniqueName(c.arguments, name, "_", 64)
}
