package openapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pb33f/go-yaml"
	high "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"
)

// Options configures [Load].
type Options struct {
	// Select has the operations to translate, as key=pattern with the keys tag, operation (its operationId), path and method.
	// An asterisk in a pattern is any text. Of several patterns with one key, one must match; patterns with different keys
	// must all match.
	// Empty: all operations.
	Select []string
	// NameStyle is how tools are named: "operation" or "" by operationId, or by method and path if there is none; "path" by
	// method and path; "tag" by the first tag and the name of style operation.
	NameStyle string
	// Fields has the members of results to keep, as tool=member,member.member. Results of other tools keep all members.
	Fields []string
	// BaseURL is the URL of the API. Empty: the first server of the document. A relative server is resolved against it.
	BaseURL string
	// Remote allows references to files with http and https URLs.
	Remote bool
	// EnvPrefix starts the names of environment variables. Empty: a name made of the title of the API.
	EnvPrefix string
	// Auth is the authentication of requests to an API whose document describes none: bearer, basic, or an API key by its
	// place and name, such as header:X-API-Key, query:key or cookie:session. Empty: none.
	Auth string
}

// Load reads the OpenAPI document at name, a file or a directory with one document, and translates it. Parts that cannot be
// translated are notes of the result. The error describes what is wrong with the document or the options, and where.
func Load(ctx context.Context, name string, o Options) (*API, error) {
	selected, err := newSelection(o)
	if err != nil {
		return nil, err
	}
	if err := checkBaseURL(o.BaseURL); err != nil {
		return nil, err
	}
	doc, notes, err := readDocument(ctx, name, o.Remote)
	if err != nil {
		return nil, err
	}
	t := &translator{
		Options: o, selection: selected, doc: doc, api: &API{Notes: notes}, tools: map[string]bool{}, ids: map[string]bool{}, names: reservedNames(),
		services: map[string]*Service{}, methods: map[*Service]map[string]bool{}, groups: map[string]bool{},
		files: reservedFiles(),
	}
	if err := t.translate(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t.api, nil
}

// A translator makes an API of a document.
type translator struct {
	Options
	*selection
	doc      *high.Document
	api      *API
	typer    *typer
	calls    []*call
	tools    map[string]bool // names of tools
	ids      map[string]bool // operationIds
	names    map[string]bool // Go names of types
	services map[string]*Service
	methods  map[*Service]map[string]bool // Go names of methods
	groups   map[string]bool
	files    map[string]bool // names of Go files
}

// A call is an operation while it is translated.
type call struct {
	*Operation
	where     string // such as GET /pets/{id}
	service   *Service
	item      *high.PathItem
	op        *high.Operation
	arguments map[string]bool   // names in JSON
	fields    map[string]bool   // names in Go
	described []*high.Parameter // of Params
	content   *high.MediaType   // of the body
	response  *high.MediaType   // of the result
}

func (t *translator) note(c *call, part, format string, args ...any) {
	n := Note{Part: part, Text: fmt.Sprintf(format, args...)}
	if c != nil {
		n.Operation = c.where
	}
	t.api.Notes = append(t.api.Notes, n)
}

func (t *translator) leaveOut(operation, format string, args ...any) {
	t.api.Notes = append(t.api.Notes, Note{Operation: operation, Part: "operation", Text: fmt.Sprintf(format, args...) + "; the operation was left out", LeftOut: true})
}

func (t *translator) translate(ctx context.Context) error {
	t.describeAPI()
	if t.doc.Paths == nil || orderedmap.Len(t.doc.Paths.PathItems) == 0 {
		return fmt.Errorf("the document has no paths, so there is nothing to translate")
	}
	for pattern, item := range t.doc.Paths.PathItems.FromOldest() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for method, op := range item.GetOperations().FromOldest() {
			t.list(strings.ToUpper(method), pattern, item, op)
		}
	}
	if err := t.unused(); err != nil {
		return err
	}
	t.typer = newTyper(t.api, t.components().Schemas, t.names)
	for _, c := range t.calls {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.typer.attempt(func() { t.operation(c) }); err != nil {
			t.leaveOut(c.where, "%v", err)
			continue
		}
		if len(c.service.Operations) == 0 {
			t.api.Services = append(t.api.Services, c.service)
		}
		c.service.Operations = append(c.service.Operations, c.Operation)
	}
	if slices.ContainsFunc(t.calls, func(c *call) bool { return c.Security == nil }) {
		t.api.Security = t.security(nil, t.doc.Security)
	}
	if err := t.addAuth(); err != nil {
		return err
	}
	for _, tool := range slices.Sorted(maps.Keys(t.keep)) {
		if !t.kept[tool] {
			return fmt.Errorf("fields %q: no selected operation is a tool of this name", tool)
		}
	}
	t.typer.finish()
	leftOut := slices.IndexFunc(t.api.Notes, func(n Note) bool { return n.LeftOut })
	if len(t.api.Services) == 0 && leftOut >= 0 {
		first := t.api.Notes[leftOut]
		return fmt.Errorf("none of the %d selected operations can be translated; the first one: %s: %s", len(t.calls), first.Operation, first.Text)
	}
	return nil
}

func (t *translator) components() *high.Components {
	return cmp.Or(t.doc.Components, &high.Components{})
}

// describeAPI sets the members of the API that do not depend on operations.
func (t *translator) describeAPI() {
	t.api.Title = "API"
	if info := t.doc.Info; info != nil {
		if title := plainText(info.Title, 100); title != "" {
			t.api.Title = title
		}
		t.api.Version, t.api.Description = plainText(info.Version, 50), plainText(opening(info.Description), 300)
	}
	t.api.EnvPrefix = t.EnvPrefix
	if t.EnvPrefix == "" {
		t.api.EnvPrefix = envPrefix(t.api.Title)
	}
	t.api.BaseURL = t.baseURL(nil, t.doc.Servers, t.BaseURL)
	if orderedmap.Len(t.doc.Webhooks) > 0 {
		t.note(nil, "webhooks", "requests of the API to its clients; they were left out")
	}
}

// notName matches words of titles and paths that do not name an API.
var notName = regexp.MustCompile(`^(?i:an?|the|apis?|rest|restful|http|swagger|openapi|open|official|public|web|services?|spec|specification|docs|documentation|v?\d+(?:\.\d+)*|for|of|-)$`)

// envPrefix returns a prefix of environment variables: the words of a title that name the API, at most three.
func envPrefix(title string) string {
	title = strings.ReplaceAll(strings.ReplaceAll(title, "'s ", " "), "’s ", " ")
	var prefix []string
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }) {
		word = strings.ReplaceAll(strings.ToUpper(snakeName(word)), "_", "")
		switch {
		case word == "" || len(prefix) == 0 && (notName.MatchString(word) || word[0] <= '9'):
		case notName.MatchString(word) || len(prefix) == 3:
			return strings.Join(prefix, "_")
		default:
			prefix = append(prefix, word)
		}
	}
	if len(prefix) == 0 {
		return "API"
	}
	return strings.Join(prefix, "_")
}

var methodName = regexp.MustCompile(`^[A-Z]{1,20}$`)

// list adds an operation that is selected to the calls, with its names.
func (t *translator) list(method, pattern string, item *high.PathItem, op *high.Operation) {
	x := extension(op.Extensions, item.Extensions)
	if x.hidden || !t.selects(method, pattern, op) {
		return
	}
	c := &call{Operation: &Operation{Method: method, Path: pattern}, where: method + " " + pattern, item: item, op: op}
	switch {
	case method == "OPTIONS" || method == "TRACE" || method == "CONNECT":
		t.note(c, "operation", "%s asks about the connection to the API, so it is not a tool", method)
		return
	case !methodName.MatchString(method):
		t.leaveOut(c.where, "the method %q is not one of HTTP", method)
		return
	case !usablePath(pattern):
		t.leaveOut(c.where, "the path %q is not usable: it must start with a slash, and have no .. segments, backslashes, control characters or a %% that escapes nothing", pattern)
		return
	}
	if _, fragment, ok := strings.Cut(pattern, "#"); ok {
		t.note(c, "path", "the fragment %q is not sent", plainText(fragment, 100))
	}
	tag := ""
	if len(op.Tags) > 0 {
		tag = op.Tags[0]
	}
	c.service = t.service(tag, pathOnly(pattern))
	byPath := strings.ToLower(method) + " " + placeholder.ReplaceAllString(pattern, " by $1 ")
	name := op.OperationId
	if t.NameStyle == "path" || snakeName(name) == "" {
		name = byPath
	}
	if t.NameStyle == "tag" {
		name = tag + " " + name
	}
	if snakeName(x.name) != "" {
		name = x.name
	}
	tool := snakeName(name)
	if toolName.MatchString(x.name) {
		tool = x.name
	}
	if op.OperationId != "" && t.ids[op.OperationId] {
		t.note(c, "operationId", "%q is also the operationId of another operation; the name of the tool has a number", plainText(op.OperationId, 100))
	}
	t.ids[op.OperationId] = true
	c.ToolName = uniqueName(t.tools, tool, "_", 64)
	c.GoName = uniqueName(t.methods[c.service], goName(name), "", 0)
	c.Args = &Decl{GoName: uniqueName(t.names, c.GoName+"In", "", 0), Kind: DeclStruct}
	c.Description = describe(x.description, op, c.where)
	c.Deprecated = isTrue(op.Deprecated)
	hints := maps.Clone(methodHints[method])
	if hints == nil {
		hints = map[string]bool{}
	}
	maps.Copy(hints, x.hints)
	c.ReadOnly = hints["readonly"]
	if destructive, ok := hints["destructive"]; ok && !c.ReadOnly { // the other hints have no meaning for a tool that changes nothing
		c.Destructive = &destructive
	}
	c.Idempotent = hints["idempotent"] && !c.ReadOnly
	t.calls = append(t.calls, c)
}

// methodHints are the hints that follow from the method of an operation.
var methodHints = map[string]map[string]bool{
	"GET": {"readonly": true}, "HEAD": {"readonly": true}, "QUERY": {"readonly": true},
	"PUT": {"idempotent": true}, "DELETE": {"idempotent": true, "destructive": true},
}

// toolName matches names of tools and arguments.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// usablePath reports whether pattern can be the path of a request. Some documents distinguish operations by a query, or by
// a fragment, which is not sent.
func usablePath(pattern string) bool {
	_, err := url.Parse("https://host" + pathOnly(pattern))
	if err != nil || !strings.HasPrefix(pattern, "/") || strings.Contains(pattern, `\`) || strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	plain := strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/").Replace(pathOnly(pattern))
	return !slices.ContainsFunc(strings.Split(plain, "/"), func(s string) bool { return s == "." || s == ".." })
}

// pathOnly returns a path without its query and fragment.
func pathOnly(pattern string) string { return pattern[:strings.IndexAny(pattern+"?", "?#")] }

// interfaceMethods are names of methods for which go vet requires the signature of a standard interface.
var interfaceMethods = []string{
	"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune", "UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

// service returns the service of a tag, or of the first segment of the path of an operation without one.
func (t *translator) service(tag, pattern string) *Service {
	s := &Service{}
	if words(tag) == nil {
		tag = t.api.Title
		for segment := range strings.SplitSeq(pattern, "/") {
			if words(segment) != nil && !strings.HasPrefix(segment, "{") && !notName.MatchString(segment) {
				tag = segment
				break
			}
		}
	}
	key := goName(tag)
	if s := t.services[key]; s != nil {
		return s
	}
	for _, described := range t.doc.Tags {
		if goName(described.Name) == key {
			s.Doc = plainText(opening(described.Description), 300)
		}
	}
	s.GoName = key
	if t.names[key] {
		s.GoName += "Service"
	}
	s.GoName = uniqueName(t.names, s.GoName, "", 0)
	group := snakeName(tag)
	if group == "" {
		group = "service"
	}
	s.Group = uniqueName(t.groups, group, "_", 64)
	// A name without underscores does not end in _test or in the name of an operating system.
	s.File = uniqueName(t.files, strings.ReplaceAll(s.Group, "_", ""), "", 0)
	t.services[key], t.methods[s] = s, map[string]bool{}
	for _, name := range interfaceMethods {
		t.methods[s][name] = true
	}
	return s
}

// structured matches where the prose of a description ends: a heading, a list, a table, a code block, or a list of responses.
var structured = regexp.MustCompile("(?mi)^[ \t]*(?:#{1,6} |\\||[-*+] |\\d+[.)] |```|<(?:table|ul|ol|pre|h\\d)|(?:\\*\\*)?(?:responses?|response codes|status codes|errors?|returns?)(?:\\*\\*)?:)")

// opening returns the prose at the start of a Markdown text.
func opening(s string) string {
	if at := structured.FindStringIndex(s); at != nil && strings.TrimSpace(s[:at[0]]) != "" {
		s = s[:at[0]]
	}
	return s
}

// describe returns the description of a tool: the author's, or the summary and the first sentences of the description.
func describe(own string, op *high.Operation, where string) string {
	if own != "" {
		return plainText(own, 1000)
	}
	summary, description := plainText(op.Summary, 200), plainText(opening(op.Description), 300)
	switch {
	case summary == "" && description == "":
		return plainText(where, 300)
	case description == "":
		return summary
	case repeats(description, summary):
		return description
	case strings.ContainsAny(summary[len(summary)-1:], ".!?"):
		return summary + " " + description
	}
	return summary + ". " + description
}

// An xMCP is the extension x-mcp of an operation or a path: false for hidden, or an object with name, description, hidden (or
// disabled, skip, enabled), and the hints readOnly, idempotent and destructive, also as they are called in MCP (readOnlyHint).
type xMCP struct {
	name, description string
	hidden            bool
	hints             map[string]bool
}

func extension(levels ...*orderedmap.Map[string, *yaml.Node]) (x xMCP) {
	for _, level := range levels {
		var n *yaml.Node
		if level != nil {
			n = level.GetOrZero("x-mcp")
		}
		var on bool
		var object map[string]any
		switch {
		case n == nil:
		case n.Decode(&on) == nil:
			return xMCP{hidden: !on}
		case n.Decode(&object) == nil:
			x.hints = map[string]bool{}
			for _, key := range slices.Sorted(maps.Keys(object)) { // the last one counts if two mean the same
				x.set(key, object[key])
			}
			return x
		}
	}
	return x
}

func (x *xMCP) set(key string, value any) {
	text, _ := value.(string)
	flag, err := strconv.ParseBool(fmt.Sprint(value)) // also of "true"
	isFlag := err == nil
	switch key = strings.TrimSuffix(strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key)), "hint"); {
	case key == "name":
		x.name = plainText(text, 200)
	case key == "description":
		x.description = text
	case slices.Contains([]string{"hidden", "disabled", "skip", "enabled"}, key):
		x.hidden = x.hidden || isFlag && flag != (key == "enabled")
	case isFlag:
		x.hints[key] = flag
	}
}

// A selection has the operations and members of results that the options select.
type selection struct {
	patterns []*pattern
	keep     map[string][]string // members of results, by tool
	kept     map[string]bool     // tools of keep that exist
}

type pattern struct {
	text, key string
	match     *regexp.Regexp
	used      bool
}

func newSelection(o Options) (*selection, error) {
	s := &selection{keep: map[string][]string{}, kept: map[string]bool{}}
	for _, text := range o.Select {
		key, value, ok := strings.Cut(text, "=")
		if !ok || value == "" || !slices.Contains([]string{"tag", "operation", "path", "method"}, key) {
			return nil, fmt.Errorf("select %q: want tag=…, operation=…, path=… or method=…", text)
		}
		expression := strings.ReplaceAll(regexp.QuoteMeta(value), `\*`, ".*")
		if key == "method" {
			expression = "(?i:" + expression + ")"
		}
		s.patterns = append(s.patterns, &pattern{text: text, key: key, match: regexp.MustCompile("^(?s:" + expression + ")$")})
	}
	for _, text := range o.Fields {
		tool, members, ok := strings.Cut(text, "=")
		if !ok || members == "" {
			return nil, fmt.Errorf("fields %q: want tool=member,member.member", text)
		}
		s.keep[tool] = append(s.keep[tool], strings.Split(members, ",")...)
	}
	if !slices.Contains([]string{"", "operation", "path", "tag"}, o.NameStyle) {
		return nil, fmt.Errorf("name style %q: want operation, path or tag", o.NameStyle)
	}
	return s, nil
}

// selects reports whether an operation is selected.
func (s *selection) selects(method, pattern string, op *high.Operation) bool {
	values := map[string][]string{"method": {method}, "path": {pattern}, "operation": {op.OperationId}, "tag": op.Tags}
	matched := map[string]bool{}
	for _, p := range s.patterns {
		ok := slices.ContainsFunc(values[p.key], p.match.MatchString)
		p.used, matched[p.key] = p.used || ok, matched[p.key] || ok
	}
	for _, ok := range matched {
		if !ok {
			return false
		}
	}
	return true
}

// unused returns an error if a pattern matches no operation of the document.
func (s *selection) unused() error {
	for _, p := range s.patterns {
		if !p.used {
			return fmt.Errorf("select %q matches no operation of the document", p.text)
		}
	}
	return nil
}
