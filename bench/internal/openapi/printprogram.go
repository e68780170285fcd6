package openapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// apiSource returns what the client knows of the API: its address and how to authenticate.
func (p *printer) apiSource() string {
	var b strings.Builder
	b.WriteString(comment("", fmt.Sprintf("baseURL is the address of %s %s, unless the variable BASE_URL or Client.BaseURL sets another one.", p.api.Title, p.api.Version)))
	fmt.Fprintf(&b, "const baseURL = %s\n\n", strconv.Quote(p.api.BaseURL))
	b.WriteString("// schemes are the ways to authenticate, by their names in the document, with the environment variables of their credentials.\n")
	b.WriteString("var schemes = map[string]scheme{\n")
	for _, s := range p.api.Schemes {
		fmt.Fprintf(&b, "\t%s: {%s},\n", strconv.Quote(s.Name), p.scheme(s))
	}
	b.WriteString("}\n\n// security applies to operations that do not call auth. One of several requirements is enough.\n")
	b.WriteString("var security = []requirement{")
	for i, r := range p.api.Security {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("{" + stringLiterals(r) + "}")
	}
	b.WriteString("}\n" + p.notes())
	return b.String()
}

// scheme returns the fields of a scheme.
func (p *printer) scheme(s Scheme) string {
	fields := "kind: " + string(s.Kind)
	switch s.Kind {
	case SchemeBearer, SchemeBasic:
	case SchemeAPIKey:
		fields += fmt.Sprintf(", in: %s, key: %s", strconv.Quote(s.In), strconv.Quote(s.Key))
	case SchemeClientCredentials:
		fields += ", token: accessTokens(" + stringLiterals(append([]string{s.TokenURL}, s.Scopes...)) + ")"
	default:
		p.errorf("scheme %q: unknown kind %q", s.Name, s.Kind)
	}
	return fields + ", env: " + strconv.Quote(p.variables[s.Name])
}

// notes returns a comment with the notes that are not in the comments of methods.
func (p *printer) notes() string {
	printed := map[string]bool{}
	for _, s := range p.services {
		for _, o := range s.Operations {
			printed[o.Method+" "+o.Path] = true
		}
	}
	texts := []string{"What the code does not have, or has in another form than the document:"}
	for _, n := range p.api.Notes {
		if !printed[n.Operation] || n.LeftOut {
			texts = append(texts, note(n.Operation, n.Part, n.Text))
		}
	}
	if len(texts) == 1 {
		return ""
	}
	return "\n" + comment("", texts...)
}

// note returns the text of a note for a comment.
func note(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return "Note: " + strings.Join(parts, ": ") + "."
}

var notInVariable = regexp.MustCompile(`[^A-Z0-9]+`)

// variableName returns a text in the form of a name of an environment variable.
func variableName(text string) string {
	return strings.Trim(notInVariable.ReplaceAllString(strings.ToUpper(text), "_"), "_")
}

// prefix returns the beginning of the names of environment variables, such as PETSTORE_.
func prefix(api *API) string {
	name := variableName(api.EnvPrefix)
	if name == "" || name[0] < 'A' {
		name = "API" + name
	}
	return name + "_"
}

// variables returns the environment variables with the credentials of schemes, by the names of the schemes.
func variables(api *API) map[string]string {
	start := prefix(api)
	used := map[string]bool{start + "GROUPS": true, start + "TOOLS": true, start + "EXCEPT": true, start + "READ_ONLY": true} // of the selection
	byScheme := map[string]string{}
	for _, s := range api.Schemes {
		base := start + cmp.Or(strings.TrimPrefix(variableName(s.Name), start), "CREDENTIALS")
		name := base
		for n := 2; used[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		used[name] = true
		byScheme[s.Name] = name
	}
	return byScheme
}

// A program has the data for the templates of tools.go and main.go.
type program struct {
	Command   string // such as petstore
	Title     string // with the version
	Version   string
	Client    string // &Client{}, with the package if it is a library
	Tools     string // the function
	Prefix    string // of environment variables
	Services  []*Service
	Variables [][2]string // names and what they are for
	Search    bool        // whether there are so many tools that a model should search them
	Example   [2]string   // a service, and a method to leave out
}

// manyTools is the number of tools from which a program can let the model search them.
const manyTools = 60

// program adds the files that authors change.
func (p *printer) program() {
	data := program{
		Command: strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(prefix(p.api), "_"), "_", "-")),
		Title:   clean(p.api.Title + " " + p.api.Version), Version: cmp.Or(clean(p.api.Version), "1.0.0"),
		Client: "&Client{}", Tools: "Tools", Prefix: prefix(p.api), Services: p.services, Variables: p.api.Variables(),
	}
	tools := 0
	for _, s := range p.services {
		for _, o := range s.Operations {
			if tools++; tools == 1 || o.Destructive != nil && *o.Destructive {
				data.Example = [2]string{s.GoName, o.GoName}
			}
		}
	}
	data.Search = tools > manyTools
	p.execute("tools.go", p.options.Package, data, true)
	if name := p.options.Package; name == "main" {
		p.execute("main.go", name, data, true)
	} else {
		data.Command, data.Client, data.Tools = name, "&"+name+"."+"Client{}", name+".Tools"
		p.execute("cmd/"+name+"/main.go", "main", data, true)
	}
	if p.options.Module != "" {
		mod := "module " + p.options.Module + "\n\ngo 1.26\n"
		if p.options.ToolVersion != "" {
			mod += "\nrequire " + p.options.ToolModule + " " + p.options.ToolVersion + "\n"
		}
		p.files = append(p.files, File{Name: "go.mod", Data: []byte(mod), Once: true})
	}
}

// credentials returns the environment variables of a scheme, and what they are for.
func (p *printer) credentials(s Scheme) [][2]string {
	name, of := p.variables[s.Name], " of the scheme "+clean(s.Name)
	switch s.Kind {
	case SchemeBasic:
		return [][2]string{{name + "_USER", "the user" + of}, {name + "_PASSWORD", "the password" + of}}
	case SchemeClientCredentials:
		return [][2]string{{name + "_CLIENT_ID", "the client ID" + of}, {name + "_CLIENT_SECRET", "its secret"}}
	case SchemeAPIKey:
		return [][2]string{{name, "the API key" + of}}
	default:
		return [][2]string{{name, "the token" + of}}
	}
}
