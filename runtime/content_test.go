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

// forPrograms are the fields of content that are not text for people: they are sent unchanged.
var forPrograms = []string{"URI", "MIMEType"}

// TestContentSent checks for every content type of package mcptool that its texts are sent and redacted, in each revision.
// The transcripts show the blocks of each revision.
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
				sent := sentAs(t, block, modernRevision, nil) // this revision has every type
				for field, value := range textsOf(block) {
					if !strings.Contains(sent, value) {
						t.Errorf("%s %q is not in %s", field, value, sent)
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
							t.Errorf("sent a secret or a control character: %s", sent)
						}
					})
				}
			}
		})
	}
	all := contentTypes(t)
	if !maps.Equal(all, sampled) {
		t.Errorf("package mcptool has the types %v, fixture.Content (internal/testing/fixture/outputs.go) has %v", all, sampled)
	}
	listed := map[string]bool{}
	for _, zero := range mcptool.Internal(private.Key{}).ContentTypes() {
		listed[reflect.TypeOf(zero).Name()] = true
	}
	if !maps.Equal(all, listed) {
		t.Errorf("package mcptool has the types %v, its ContentTypes lists %v", all, listed)
	}
	text, err := os.ReadFile("../mcptool/content.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !strings.Contains(string(text), "["+name+"]") {
			t.Errorf("the documentation of Content does not name the type %s", name)
		}
	}
}

// sentAs returns the answer of a tool that returns block, in this revision.
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

// textsOf returns the strings of a block by field name, and bytes as base64.
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

// withText returns block with text in a field, or nil if the field is not a string or the block has a Blob
// instead.
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

// contentTypes returns the exported types of package mcptool with a write method.
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
