package runtime_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
)

// forPrograms are the fields of content that hold no words of the tool: they are sent as they are, and not redacted.
var forPrograms = []string{"URI", "MIMEType"}

// TestContentSent goes over every type of content that package mcptool has: what it holds arrives, and what is secret
// does not, in any revision. How a block looks in each revision is in the transcripts, its rules in package mcptool.
func TestContentSent(t *testing.T) {
	t.Parallel()
	sampled := map[string]bool{}
	for _, block := range fixture.Content() {
		name := reflect.TypeOf(block).Name()
		sampled[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("arrives", func(t *testing.T) {
				t.Parallel()
				sent := sentAs(t, block, modernRevision, nil) // which has every type
				for field, value := range textsOf(block) {
					if !strings.Contains(sent, value) {
						t.Errorf("%s, %q, is not in %s", field, value, sent)
					}
				}
			})
			for field := range textsOf(block) {
				changed := withText(block, field, "a\x1bsecret")
				if slices.Contains(forPrograms, field) || changed == nil {
					continue
				}
				for _, revision := range revisions {
					t.Run("T-SEC-04 "+field+" "+revision, func(t *testing.T) {
						t.Parallel()
						sent := sentAs(t, changed, revision, func(text string) string { return strings.ReplaceAll(text, "secret", "***") })
						if strings.Contains(sent, "secret") || strings.Contains(sent, "u001b") {
							t.Errorf("what is secret, or harmful, arrives: %s", sent)
						}
					})
				}
			}
		})
	}
	all := contentTypes(t)
	if !maps.Equal(all, sampled) {
		t.Errorf("package mcptool has the types %v, and fixture.Content (internal/testing/fixture/outputs.go) has blocks of %v", all, sampled)
	}
	listed := map[string]bool{}
	for _, zero := range mcptool.Internal(private.Key{}).ContentTypes() {
		listed[reflect.TypeOf(zero).Name()] = true
	}
	if !maps.Equal(all, listed) {
		t.Errorf("package mcptool has the types %v, and its ContentTypes lists %v", all, listed)
	}
	text, err := os.ReadFile("../mcptool/content.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !strings.Contains(string(text), "["+name+"]") {
			t.Errorf("the documentation of Content names all types of content, but not %s", name)
		}
	}
}

// sentAs returns what a tool that returns the block answers to a client of the revision.
func sentAs(t *testing.T, block mcptool.Content, revision string, redact func(string) string) string {
	t.Helper()
	srv := serve(t, tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{block}}, nil
	}))
	srv.Redact = redact
	w := open(t, srv)
	if revision == modernRevision {
		w.send(modern("1", "tools/call", `,"name":"x"`))
		return w.next()
	}
	w.handshake(revision)
	return sayings(t, w)
}

// textsOf returns the strings that a block holds, by the names of their fields; of bytes their base64.
func textsOf(block mcptool.Content) map[string]string {
	texts := map[string]string{}
	v := reflect.ValueOf(block)
	for i := range v.NumField() {
		switch held := v.Field(i).Interface().(type) {
		case string:
			texts[v.Type().Field(i).Name] = held
		case []byte:
			texts[v.Type().Field(i).Name] = base64.StdEncoding.EncodeToString(held)
		}
	}
	return texts
}

// withText returns the block with another text in a field; nil if the field holds no text, or the block has other data in
// its place.
func withText(block mcptool.Content, field, text string) mcptool.Content {
	v := reflect.New(reflect.TypeOf(block)).Elem()
	v.Set(reflect.ValueOf(block))
	blob := v.FieldByName("Blob")
	if v.FieldByName(field).Kind() != reflect.String || blob.IsValid() && !blob.IsNil() {
		return nil
	}
	v.FieldByName(field).SetString(text)
	changed, _ := v.Interface().(mcptool.Content)
	return changed
}

// contentTypes returns the types of package mcptool that are written as content.
func contentTypes(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../mcptool/*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "write" {
				continue
			}
			if receiver, ok := fn.Recv.List[0].Type.(*ast.Ident); ok && receiver.IsExported() {
				types[receiver.Name] = true
			}
		}
	}
	return types
}
