package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel"
	high "github.com/pb33f/libopenapi/datamodel/high/v3"
	low "github.com/pb33f/libopenapi/datamodel/low/v3"
)

// Limits of a document. They are far above what documents of real APIs need.
const (
	maxFileBytes  = 64 << 20
	maxBytes      = 512 << 20 // of all files; hosts of remote files could serve ever more
	maxFiles      = 5_000
	maxDepth      = 500
	maxAliasNodes = 1_000_000 // that aliases of YAML add to the nodes of a file
	maxMistakes   = 10        // that are reported at once
	fetchTimeout  = 30 * time.Second
)

// A source is a file of the document.
type source struct {
	name string   // relative to the directory of the document, with slashes; or the URL
	url  *url.URL // nil for a local file
	data []byte
	info *datamodel.SpecInfo
}

// A reference is a $ref in a source.
type reference struct {
	in    *source
	where string // file, line and JSON pointer, for messages
	ref   string
}

// A reader reads the files of a document. libopenapi gets only files that the reader has checked, and opens none itself.
type reader struct {
	dir        *os.Root
	remote     bool
	sources    map[string]*source // by name
	bytes      int                // of sources
	references []reference
	mistakes   []error
}

// readDocument reads the document at name, a file or a directory with one, and all files that it refers to. The
// notes are parts that libopenapi cannot read.
func readDocument(ctx context.Context, name string, remote bool) (*high.Document, []Note, error) {
	name, err := documentFile(name)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dir.Close() }()
	r := &reader{dir: dir, remote: remote, sources: map[string]*source{}}
	root, err := r.load(ctx, filepath.Base(name), nil)
	if err != nil {
		return nil, nil, err
	}
	if err := checkVersion(root); err != nil {
		return nil, nil, err
	}
	r.check(root)
	// Following a reference may append references of another file.
	for i := 0; i < len(r.references) && len(r.mistakes) < maxMistakes; i++ {
		r.follow(ctx, r.references[i])
	}
	if len(r.mistakes) > 0 {
		return nil, nil, errors.Join(r.mistakes...)
	}
	return r.build(root)
}

// documentFile returns the name of the document at name.
func documentFile(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, err
	}
	found := slices.DeleteFunc([]string{"openapi.yaml", "openapi.yml", "openapi.json"}, func(base string) bool {
		_, err := os.Stat(filepath.Join(name, base))
		return err != nil
	})
	if len(found) != 1 {
		return "", fmt.Errorf("%s: this directory has %d of openapi.yaml, openapi.yml and openapi.json; name the file of the document", name, len(found))
	}
	return filepath.Join(name, found[0]), nil
}

// load reads and parses a file, if it has not been read before. u is nil for a local one.
func (r *reader) load(ctx context.Context, name string, u *url.URL) (*source, error) {
	if s := r.sources[name]; s != nil {
		return s, nil
	}
	if len(r.sources) == maxFiles {
		return nil, fmt.Errorf("the document has more than %d files", maxFiles)
	}
	data, err := r.read(ctx, name, u)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	if r.bytes += len(data); r.bytes > maxBytes {
		return nil, fmt.Errorf("the files of the document have more than %d MB", maxBytes>>20)
	}
	info, err := datamodel.ExtractSpecInfoWithConfig(data, &datamodel.DocumentConfiguration{BypassDocumentCheck: true, SkipJSONConversion: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// libopenapi replaces a file that is not YAML with a string of its text.
	if root := info.RootNode; len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode && root.Content[0].Kind != yaml.SequenceNode {
		var node yaml.Node
		if err := yaml.Unmarshal(data, &node); err != nil {
			return nil, fmt.Errorf("%s: neither JSON nor YAML: %w", name, err)
		}
		return nil, fmt.Errorf("%s: no JSON or YAML object", name)
	}
	if at := bytes.LastIndex(data, []byte("\n---")); at >= 0 && bytes.Count(data[:at], []byte("\n"))+2 > info.RootNode.Content[0].Line {
		return nil, fmt.Errorf("%s: the file has several YAML documents; give each a file", name)
	}
	s := &source{name: name, url: u, data: data, info: info}
	r.sources[name] = s
	return s, nil
}

func (r *reader) read(ctx context.Context, name string, u *url.URL) ([]byte, error) {
	var in io.ReadCloser
	if u == nil {
		f, err := r.dir.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		in = f
	} else {
		ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, name, nil)
		if err != nil {
			return nil, err
		}
		response, err := http.DefaultClient.Do(request) //nolint:bodyclose // in is closed below
		if err != nil {
			return nil, err
		}
		in = response.Body
		if response.StatusCode != http.StatusOK {
			_ = in.Close()
			return nil, fmt.Errorf("%s: the server answered %s", name, response.Status)
		}
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("%s: the file is larger than %d MB", name, maxFileBytes>>20)
	}
	return data, nil
}

// checkVersion returns an error if s is not an OpenAPI 3 document.
func checkVersion(s *source) error {
	root := s.info.RootNode.Content[0]
	if v := member(root, "swagger"); v != nil {
		return fmt.Errorf("%s: this is Swagger %s, and OpenAPI 3 is needed; convert it, for example with: npx swagger2openapi %s -o openapi.yaml --yaml",
			s.name, v.Value, s.name)
	}
	v := member(root, "openapi")
	switch {
	case v == nil:
		return fmt.Errorf("%s: no OpenAPI document: the member openapi with its version is missing", s.name)
	case !strings.HasPrefix(v.Value, "3.0") && !strings.HasPrefix(v.Value, "3.1") && !strings.HasPrefix(v.Value, "3.2"):
		return fmt.Errorf("%s:%d: OpenAPI %.20q is not supported, only 3.0, 3.1 and 3.2", s.name, v.Line, v.Value)
	}
	return nil
}

// check finds mistakes and references of a file.
func (r *reader) check(s *source) {
	w := &walker{reader: r, in: s}
	w.walk(s.info.RootNode.Content[0], false)
	if w.aliases {
		e := &expansion{done: map[*yaml.Node][2]int{}}
		nodes, depth := e.of(s.info.RootNode)
		switch {
		case e.cycle != nil:
			r.mistake("%s:%d: the alias %s refers to itself", s.name, e.cycle.Line, e.cycle.Value)
		case nodes > maxAliasNodes:
			r.mistake("%s: YAML aliases expand the file to more than %d nodes; replace them with $ref", s.name, maxAliasNodes)
		case depth > maxDepth:
			r.mistake("%s: values, with their YAML aliases, nest deeper than %d levels", s.name, maxDepth)
		}
	}
}

func (r *reader) mistake(format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Errorf(format, args...))
}

// A walker checks the nodes of a file.
type walker struct {
	*reader
	in      *source
	path    []string
	aliases bool
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (w *walker) where(n *yaml.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: #", w.in.name, n.Line)
	for _, p := range w.path {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(p))
	}
	return b.String()
}

// named lists the members whose own members have names that the document chooses: one called default or $ref is no
// keyword there.
var named = map[string]bool{
	"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true, "schemas": true,
	"responses": true, "parameters": true, "examples": true, "requestBodies": true, "headers": true, "securitySchemes": true,
	"links": true, "callbacks": true, "pathItems": true, "paths": true, "webhooks": true, "content": true, "encoding": true,
	"mediaTypes": true, "variables": true,
}

// isData reports whether the member of this name has a value of the API, in which nothing is a reference.
func isData(key string) bool {
	switch key {
	case "example", "default", "enum", "const", "value", "dataValue":
		return true
	}
	return strings.HasPrefix(key, "x-")
}

// walk checks a node. If names is set, the keys of n are names that the document chooses.
func (w *walker) walk(n *yaml.Node, names bool) {
	if len(w.mistakes) >= maxMistakes {
		return
	}
	if len(w.path) > maxDepth {
		w.mistake("%s:%d: nested deeper than %d levels", w.in.name, n.Line, maxDepth)
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		w.aliases = true
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.path = append(w.path, fmt.Sprint(i))
			w.walk(item, false)
			w.path = w.path[:len(w.path)-1]
		}
	case yaml.MappingNode:
		lines := make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			w.path = append(w.path, key.Value)
			if line, twice := lines[key.Value]; twice && key.Kind == yaml.ScalarNode {
				w.mistake("%s: the member is there twice, the first time in line %d; remove one", w.where(key), line)
			}
			lines[key.Value] = key.Line
			switch {
			case !names && key.Value == "$ref" && value.Kind == yaml.ScalarNode:
				w.references = append(w.references, reference{w.in, w.where(value), value.Value})
			case !names && (isData(key.Value) || key.Value == "examples" && value.Kind == yaml.SequenceNode):
				w.aliases = true // There may be some: the expansion is counted for all of the file.
			default:
				w.walk(value, !names && named[key.Value])
			}
			w.path = w.path[:len(w.path)-1]
		}
	default: // a scalar
	}
}

// An expansion counts nodes and depth of a file with its aliases replaced.
type expansion struct {
	done  map[*yaml.Node][2]int // of the targets of aliases; zero while one is counted
	cycle *yaml.Node
}

func (e *expansion) of(n *yaml.Node) (nodes, depth int) {
	if n.Kind == yaml.AliasNode {
		counted, seen := e.done[n.Alias]
		if seen && counted[0] == 0 {
			e.cycle = n
		}
		if !seen {
			e.done[n.Alias] = [2]int{}
			counted[0], counted[1] = e.of(n.Alias)
			e.done[n.Alias] = counted
		}
		return counted[0], counted[1]
	}
	for _, child := range n.Content {
		c, d := e.of(child)
		nodes, depth = min(nodes+c, 1<<40), max(depth, d)
	}
	if nodes == 0 {
		return 1, 1
	}
	return nodes + 1, depth + 1
}

// follow loads the file of a reference and checks that it has the target.
func (r *reader) follow(ctx context.Context, ref reference) {
	if err := ctx.Err(); err != nil {
		r.mistakes = append(r.mistakes, err)
		return
	}
	seen := map[*yaml.Node]bool{}
	in, to := ref.in, ref.ref
	for {
		s, fragment, err := r.target(ctx, in, to)
		if err != nil {
			r.mistake("%s: $ref %.200q %w", ref.where, ref.ref, err)
			return
		}
		if fragment != "" && !strings.HasPrefix(fragment, "/") {
			return // An anchor, which libopenapi finds.
		}
		n := resolve(s.info.RootNode.Content[0], fragment)
		if n == nil {
			r.mistake("%s: $ref %.200q leads nowhere: %s has no such member; correct the reference or add its target", ref.where, ref.ref, s.name)
			return
		}
		next := member(n, "$ref")
		if next == nil || next.Kind != yaml.ScalarNode {
			return
		}
		if seen[n] {
			r.mistake("%s: $ref %.200q leads to itself", ref.where, ref.ref)
			return
		}
		seen[n] = true
		in, to = s, next.Value
	}
}

// target returns the file and the fragment of a reference. Its errors continue a sentence about the reference.
func (r *reader) target(ctx context.Context, in *source, ref string) (*source, string, error) {
	file, fragment, _ := strings.Cut(ref, "#")
	if file == "" {
		return in, fragment, nil
	}
	u, err := url.Parse(file)
	if err != nil {
		return nil, "", errors.New("is not a URI reference")
	}
	if in.url != nil {
		u = in.url.ResolveReference(u)
	}
	var name string
	switch {
	case u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "" && u.Host != "":
		if !r.remote {
			return nil, "", errors.New("leads to the network: allow it with --allow-remote, or bundle the document into one file, for example with: npx @redocly/cli bundle")
		}
		name = u.String()
	case u.Scheme != "":
		return nil, "", fmt.Errorf("has the scheme %s, which is not supported", u.Scheme)
	default:
		name, u = path.Join(path.Dir(in.name), u.Path), nil
		if path.IsAbs(file) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, "", errors.New("leads out of the directory of the document: give the directory that has all files, or bundle the document into one file, for example with: npx @redocly/cli bundle")
		}
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
			return nil, "", errors.New("leads to a file that is not called .yaml, .yml or .json")
		}
	}
	loaded := r.sources[name] != nil
	s, err := r.load(ctx, name, u)
	if err != nil {
		return nil, "", fmt.Errorf("cannot be read: %w", err)
	}
	if !loaded {
		r.check(s)
	}
	return s, fragment, nil
}

// resolve returns the node at a JSON pointer in the form of a fragment, or nil.
func resolve(n *yaml.Node, pointer string) *yaml.Node {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		n = member(n, unescaped(token))
	}
	return n
}

// member returns a member of an object or an item of an array, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil {
		return nil
	}
	var merged *yaml.Node
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && fmt.Sprint(i) == key:
			return c
		case n.Kind != yaml.MappingNode || i%2 == 1:
		case c.Value == key:
			return n.Content[i+1]
		case c.Tag == "!!merge" && merged == nil:
			merged = member(n.Content[i+1], key)
		}
	}
	return merged
}

// build makes the model of the files.
func (r *reader) build(root *source) (doc *high.Document, notes []Note, err error) {
	// The parser of a hostile document is not ours: if it panics, the document is refused.
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("%s: the document cannot be read: %v", root.name, p)
		}
	}()
	c := datamodel.NewDocumentConfiguration()
	c.Logger = slog.New(slog.DiscardHandler)
	c.SkipCircularReferenceCheck = true // Schemas may be recursive.
	c.SkipMetadataCollection = true
	files := fstest.MapFS{}
	for _, s := range r.sources {
		if s.url == nil {
			files[s.name] = &fstest.MapFile{Data: s.data}
			continue
		}
		c.AllowRemoteReferences = true
	}
	if len(r.sources) > 1 {
		c.BasePath, c.SpecFilePath, c.LocalFS = r.dir.Name(), root.name, files
		c.RemoteURLHandler = func(name string) (*http.Response, error) {
			s := r.sources[name]
			if s == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.data))}, nil
		}
	}
	built, err := low.CreateDocumentFromConfig(root.info, c)
	if built == nil || built.Index == nil {
		return nil, nil, fmt.Errorf("%s: %w", root.name, err)
	}
	if err != nil {
		for text := range strings.SplitSeq(err.Error(), "\n") { // of each of the joined errors
			notes = append(notes, Note{Part: "document", Text: text})
		}
	}
	return high.NewDocument(built), notes, nil
}
