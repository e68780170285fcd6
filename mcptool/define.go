package mcptool

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// define builds the tool of a typed func, or returns the mistakes. If there are mistakes, the tool has only a name, if
// one was found.
func define(f authorFunc, opts []ToolOption, location *callsite.Site) (*Tool, []Mistake) {
	d := definitionOf(f, kindTool, opts, ToolOption.applyToTool)
	d.deriveName(f.name)
	d.check()
	c := &codec{tool: d.Name, coerce: d.Coerce}
	input := d.compileIn(c, f.in)
	d.compileOut(c, f.out)
	return d.build(f.name, location, input, c.out, f.bind(c))
}

// definitionOf returns a definition with the settings in the tags of the argument struct and in the options. The func
// applyTo is the method of the options for the kind.
func definitionOf[O any](f authorFunc, kind itemKind, opts []O, applyTo func(O, *definition)) *definition {
	d := &definition{kind: kind, ofService: f.ofService, sources: make([]settingSource, 0, 8)}
	d.readTags(f.in)
	apply(d, opts, applyTo)
	if f.comment != "" && !d.isSet(&d.Description) {
		set(d, &d.Description, "the comment of the func", f.comment)
	}
	if f.isNil {
		d.mistake("the func is nil", "pass a func")
	}
	return d
}

// compileIn prepares decoding of the arguments and returns the schema to publish; nil if there are mistakes.
func (d *definition) compileIn(c *codec, in reflect.Type) *reflectschema.Schema {
	override := d.parseInput()
	if reason, fix := checkIn(in); reason != "" {
		d.typeMistake(in, "", reason, fix)
		return nil
	}
	elem := deref(in)
	c.in = d.compile(elem, reflectschema.DirectionInput)
	switch {
	case c.in == nil:
		return nil
	case !schemas.IsObject(c.in.Schema()):
		d.typeMistake(in, "", "arguments must be a JSON object, but the schema of the type is "+shorten(string(c.in.Schema().JSON())),
			"make it a field of a struct, or register a schema with \"type\":\"object\" for it, with reflectschema.RegisterSchema")
		return nil
	}
	if d.isSet(&d.inputSchema) {
		c.in = d.withSchema(c.in, override, d.source(&d.inputSchema), elem)
		return override
	}
	d.checkArguments(c.in.Schema(), in)
	return c.in.Schema()
}

// compileOut prepares encoding of the results. The codec gets the schema to publish, if any.
func (d *definition) compileOut(c *codec, out reflect.Type) {
	given := d.parseOutput()
	shape, reason, fix := checkOut(out)
	if reason != "" {
		d.typeMistake(out, "", reason, fix)
		return
	}
	switch c.shape = shape; shape {
	case outResult:
		c.out = given
	case outContent, outContents:
		if d.isSet(&d.outputSchema) || d.outputType != nil {
			d.mistake("an output schema describes structured content, but Content has none", "return *mcptool.Result")
		}
	default:
		elem := deref(out)
		compiled := d.compile(elem, reflectschema.DirectionOutput)
		if compiled == nil {
			return
		}
		compiled = d.withSchema(compiled, given.schema, cmp.Or(d.source(&d.outputSchema), d.source(&d.outputType)), elem)
		schema := given.schema
		if derived := compiled.Schema(); schema == nil && string(derived.JSON()) != "{}" {
			schema = derived // a schema that allows everything is useless to clients and costs tokens
		}
		c.out = structuredPart{schema, elem, compiled}
	}
}

// deriveName sets the tool's name and checks it.
func (d *definition) deriveName(funcName string) {
	if d.kind == kindResource {
		d.deriveResourceName(funcName)
		return
	}
	if !d.isSet(&d.Name) {
		if funcName == "" {
			d.mistake(fmt.Sprintf("the func is a literal, so the %s has no default name", d.kind), `pass Name("…"), or write name=… in the mcp tag`)
			return
		}
		set(d, &d.Name, "the func's name", toSnake(funcName))
	}
	source := d.source(&d.Name)
	if d.namePrefix != "" {
		d.Name = d.namePrefix + d.Name
		source += " and the option NamePrefix"
	}
	if reason, fix := toolNameProblem(d.Name); reason != "" {
		d.mistake(reason+" (from "+source+")", fix)
	}
}

// deriveResourceName settles the name of a resource, which may be any text. FuncName is its URI if the func has no name.
func (d *definition) deriveResourceName(funcName string) {
	switch {
	case d.isSet(&d.Name) && strings.TrimSpace(d.Name) == "":
		d.mistake(d.source(&d.Name)+" sets an empty name", "write one, or leave it out")
	case d.isSet(&d.Name) || funcName == "":
	case funcName == d.uri:
		set(d, &d.Name, "the URI", funcName)
	default:
		set(d, &d.Name, "the func's name", toSnake(funcName))
	}
}

// parseURI parses the URI template, or notes the mistakes and returns nil.
func (d *definition) parseURI() *uritemplate.Template {
	if !d.isSet(&d.uri) {
		d.mistake("the resource has no URI", `pass URI("…"), or write uri=… in the mcp tag`)
		return nil
	}
	t, err := uritemplate.Parse(d.uri)
	if err != nil {
		for _, e := range split(err) {
			d.mistake(d.source(&d.uri)+": uri: "+e.Error(), "")
		}
		return nil
	}
	if !t.IsLiteral() && d.size != nil {
		d.mistake("a template has no fixed size", "leave size out")
	}
	return t
}

// parseInput parses the input schema of the option [InputSchema]; nil if there is none or it has mistakes.
func (d *definition) parseInput() *reflectschema.Schema {
	schema := d.parseSchema(&d.inputSchema)
	if schema == nil {
		return nil
	}
	if !schemas.IsObject(schema) {
		d.mistake(d.source(&d.inputSchema)+` is not a schema of an object`, `write "type":"object" at its root`)
		return nil
	}
	d.checkArguments(schema, nil)
	return schema
}

// checkArguments finds the headers of an input schema, and notes mistakes in them and in the names of arguments. The type
// is nil for a schema written by hand.
func (d *definition) checkArguments(schema *reflectschema.Schema, in reflect.Type) {
	doc := schemas.Root(schema) // parsed once for all tools of a type
	// Most schemas have no headers, whose name may have escapes in a schema written by hand.
	if raw := schema.JSON(); bytes.Contains(raw, []byte("x-mcp-")) || bytes.Contains(raw, []byte(`\u`)) {
		d.Headers = headersOf(&d.findings, doc)
	}
	d.checkArgumentNames(doc, in)
}

// checkArgumentNames notes arguments whose names the Anthropic API rejects: it answers 400 to a request with such a
// tool. It has the same rule for the names of arguments and tools. The type In is nil for a schema written by hand. The
// fields of a struct of another module cannot be renamed.
func (d *definition) checkArgumentNames(schema *jsondoc.Value, in reflect.Type) {
	for _, m := range schema.Get("properties").Entries() {
		if reason, _ := toolNameProblem(m.Name); reason == "" || d.kind != kindTool {
			continue
		}
		mistake := Mistake{
			Path: m.Name, Fix: "rename the argument",
			Reason: "the Anthropic API rejects all tools of a request if the name of an argument does not match ^[a-zA-Z0-9_.-]{1,64}$",
		}
		switch {
		case in == nil:
			d.schemaMistake(mistake)
		case in.Kind() != reflect.Struct || schemas.IsAuthored(in):
			mistake.Type = in.String()
			mistake.Fix += ", for example in its json tag"
			d.mistakes = append(d.mistakes, mistake)
		}
	}
}

// parseOutput returns the output schema of the options [OutputSchema] and [OutputType]; zero if there is none or it has
// mistakes.
func (d *definition) parseOutput() structuredPart {
	t := d.outputType
	if t == nil {
		return structuredPart{schema: d.parseSchema(&d.outputSchema)}
	}
	if d.isSet(&d.outputSchema) {
		d.mistake("the options OutputSchema and OutputType both set a schema", "set one of them")
		return structuredPart{}
	}
	t = deref(t)
	if compiled := d.compile(t, reflectschema.DirectionOutput); compiled != nil {
		return structuredPart{schema: compiled.Schema(), goType: t, compiled: compiled}
	}
	return structuredPart{}
}

// parseSchema parses a schema written by hand and records its mistakes.
func (d *definition) parseSchema(s *string) *reflectschema.Schema {
	if !d.isSet(s) {
		return nil
	}
	if *s == "" {
		d.mistake(d.source(s)+" is empty", `write {"type":"object"} for anything`)
		return nil
	}
	schema, err := reflectschema.ParseSchema([]byte(*s))
	if err != nil {
		for _, e := range split(err) {
			d.mistake(d.source(s)+": "+e.Error(), "")
		}
		return nil
	}
	schemas.Mistakes(schema, func(pointer, found, why, fix string) {
		d.schemaMistake(Mistake{Reason: fmt.Sprintf("%s: schema: %s: %s; %s", d.source(s), pointer, found, why), Fix: fix})
	})
	return schema
}

// schemaMistake notes a mistake in a schema written by hand that JSON Schema allows, or logs it, see [LogSchemaMistakes].
func (d *definition) schemaMistake(m Mistake) {
	if d.schemaLogger == nil {
		m.Fix += "; if the schema is not yours, pass LogSchemaMistakes"
		d.mistakes = append(d.mistakes, m)
		return
	}
	m.Tool = d.Name
	d.schemaLogger.Warn("mcptool: mistake in a schema", slog.String("mistake", m.String()))
}

// split returns the errors that err joins.
func split(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

// compile compiles a type with reflectschema, and notes the mistakes. The schema of arguments has no description, because
// the description of a struct of arguments is that of the tool.
func (d *definition) compile(t reflect.Type, direction reflectschema.Direction) *reflectschema.Type {
	compile := reflectschema.Compile
	if direction == reflectschema.DirectionInput {
		compile = schemas.CompileUndescribed
	}
	compiled, err := compile(t, direction)
	if err == nil {
		err = schemas.CheckToolTags(compiled)
	}
	if err != nil {
		d.typeMistakes(err, "", t)
	}
	return compiled
}

// withSchema returns the type with a schema written by hand, and notes where the two contradict each other. The schema
// may be nil: absent or already rejected.
func (d *definition) withSchema(compiled *reflectschema.Type, schema *reflectschema.Schema, source string, t reflect.Type) *reflectschema.Type {
	if schema == nil {
		return compiled
	}
	narrow, err := schemas.WithSchema(compiled, schema)
	if err != nil {
		d.typeMistakes(err, source+": ", t)
		return compiled
	}
	return narrow
}

// typeMistakes notes the errors of reflectschema about a type, each once.
func (d *definition) typeMistakes(err error, prefix string, t reflect.Type) {
	found := schemas.TypeMistakes(err)
	if found == nil {
		d.mistakes = append(d.mistakes, Mistake{Type: t.String(), Reason: prefix + err.Error()})
	}
	for _, e := range found {
		if m := (Mistake{Type: e.Type, Field: e.Field, Path: e.Path, Tag: e.Tag, Reason: prefix + e.Reason, Fix: e.Fix}); !slices.Contains(d.mistakes, m) {
			d.mistakes = append(d.mistakes, m)
		}
	}
}

// build returns the tool, or the mistakes if there are any.
func (d *definition) build(funcName string, location *callsite.Site, input *reflectschema.Schema, output structuredPart, run invoke) (*Tool, []Mistake) {
	if d.isSet(&d.askFirst) && input != nil {
		question := parseQuestion(d.askFirst, input, func(reason, fix string) { d.mistake(d.source(&d.askFirst)+": "+reason, fix) })
		d.AskFirst = true
		run = question.before(run, d.Name, input, d.Coerce)
	}
	if len(d.mistakes) > 0 {
		return d.refuse(funcName, location)
	}
	tool := &Tool{
		settings:    d.settings,
		annotations: d.annotations,
		input:       input,
		output:      output,
		invoke:      run,
		location:    location,
		kind:        d.kind,
	}
	own := &tool.settings
	own.Info, own.Task, own.IsString = d.clone(), cmp.Or(d.Task, private.TaskForbidden), output.isString()
	if d.kind != kindTool {
		own.Headers = nil
	}
	if d.kind == kindResource {
		own.Name = d.uri
	}
	tool, err := tool.wrap(ofTool, d.middleware)
	if err != nil {
		d.mistake("the option Use: "+err.Error(), "return a Handler that calls next")
		return d.refuse(funcName, location)
	}
	return tool, nil
}

// refuse returns the mistakes with the name of the tool, or if it has none with the name of the func.
func (d *definition) refuse(funcName string, location *callsite.Site) (*Tool, []Mistake) {
	label := cmp.Or(d.Name, funcName, "func literal")
	for i := range d.mistakes {
		d.mistakes[i].Tool = label
	}
	return &Tool{settings: settings{Info: Info{Name: d.Name}}, location: location}, d.mistakes
}

// completions returns the completers for the arguments, and notes mistakes in the options Complete.
func (d *definition) completions(input *reflectschema.Type, in reflect.Type, texts textArguments) completions {
	c := completions{owner: d.Name, input: input, texts: texts, funcs: map[string]completer{}}
	for _, f := range d.completers {
		option := fmt.Sprintf("the option Complete(%q)", f.field)
		switch _, twice := c.funcs[f.field]; {
		case f.isNil:
			d.mistake("the func of "+option+" is nil", "leave the option out")
		case deref(f.in) != deref(in):
			d.mistake(fmt.Sprintf("the func of %s takes %s, and the %s has %s", option, f.in, d.kind, in), "take "+in.String())
		case texts.find(f.field) == nil:
			d.mistake(option+" names no argument", "write the JSON name of a field of "+in.String())
		case twice:
			d.mistake(option+" is given twice", "pass one func")
		}
		c.funcs[f.field] = f
	}
	return c
}
