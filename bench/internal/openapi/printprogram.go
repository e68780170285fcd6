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
	b.WriteString(comment(fmt.Sprintf("baseURL is the address of %s %s, unless the variable BASE_URL or Client.BaseURL sets another one.", p.api.Title, p.api.Version)))
	fmt.Fprintf(&b, "const baseURL = %s\n\n", strconv.Quote(p.api.BaseURL))
	b.WriteString("// schemes are the ways to authenticate, by their names in the document, with the environment variables of their credentials.\n")
	b.WriteString("var schemes = map[string]scheme{\n")
	environment := variables(p.api)
	for _, s := range p.api.Schemes {
		fmt.Fprintf(&b, "\t%s: {%s},\n", strconv.Quote(s.Name), p.scheme(s, environment[s.Name]))
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
func (p *printer) scheme(s Scheme, variable string) string {
	fields := "kind: " + p.code(string(s.Kind))
	switch s.Kind {
	case SchemeBearer, SchemeBasic:
	case SchemeAPIKey:
		fields += fmt.Sprintf(", in: %s, key: %s", strconv.Quote(s.In), strconv.Quote(s.Key))
	case SchemeClientCredentials:
		fields += ", token: accessTokens(" + stringLiterals(append([]string{s.TokenURL}, s.Scopes...)) + ")"
	}
	return fields + ", env: " + strconv.Quote(variable)
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
	return "\n" + comment(texts...)
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
	used := map[string]bool{"BASE_URL": true, start + "GROUPS": true, start + "TOOLS": true, start + "EXCEPT": true, start + "READ_ONLY": true} // of the selection
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

// A program has the data for the templates.
type program struct {
	Package   string
	Library   string // the import path of the package; "" for a program
	Command   string // such as petstore
	Title     string // with the version
	Version   string
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
		Package: p.options.Package, Services: p.services, Prefix: prefix(p.api), Title: clean(p.api.Title + " " + p.api.Version), Version: cmp.Or(clean(p.api.Version), "1.0.0"),
		Variables: p.api.Variables(),
	}
	data.Command = strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(data.Prefix, "_"), "_", "-"))
	tools := 0
	for _, s := range p.services {
		for _, o := range s.Operations {
			if tools++; tools == 1 || o.Destructive != nil && *o.Destructive {
				data.Example = [2]string{s.GoName, o.GoName}
			}
		}
	}
	data.Search = tools > manyTools
	p.execute("tools.go", data, true)
	if data.Package == "main" {
		p.execute("main.go", data, true)
	} else {
		data.Command, data.Library = data.Package, p.options.ImportPath
		p.execute("cmd/"+data.Package+"/main.go", data, true)
	}
	if p.options.Module != "" {
		mod := "module " + p.options.Module + "\n\ngo 1.26\n"
		if p.options.ToolVersion != "" {
			mod += "\nrequire " + Framework + " " + p.options.ToolVersion + "\n"
		}
		p.files = append(p.files, File{Name: "go.mod", Data: []byte(mod), Once: true})
	}
}

// Variables returns the environment variables with the address and the credentials of the generated server, and what they are for.
func (api *API) Variables() [][2]string {
	address := "the address of the API, such as https://HOST" + clean(api.BaseURL)
	if strings.HasPrefix(api.BaseURL, "http") {
		address = "the address of the API, instead of " + clean(api.BaseURL)
	}
	list, names := [][2]string{{"BASE_URL", address}}, variables(api)
	for _, s := range api.Schemes {
		name, of := names[s.Name], " of the scheme "+clean(s.Name)
		switch s.Kind {
		case SchemeBasic:
			list = append(list, [2]string{name + "_USER", "the user" + of}, [2]string{name + "_PASSWORD", "the password" + of})
		case SchemeClientCredentials:
			list = append(list, [2]string{name + "_CLIENT_ID", "the client ID" + of}, [2]string{name + "_CLIENT_SECRET", "its secret"})
		case SchemeAPIKey:
			list = append(list, [2]string{name, "the API key" + of})
		default:
			list = append(list, [2]string{name, "the token" + of})
		}
	}
	return list
}
