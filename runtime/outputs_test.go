package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// forest is a recursive type that is not an object.
type forest []struct {
	Name string `json:"name"`
	Kids forest `json:"kids"`
}

// station is an object, or null as a nil pointer in a list.
type station struct {
	Name string `json:"name"`
}

// returning returns a typed tool that returns out.
func returning[Out any](t *testing.T, name string, out Out, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	made, err := mcptool.New(func(context.Context, struct{}) (Out, error) { return out, nil }, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

type (
	quoted  string // with a JSON method
	marked  string // with a text method
	written string
)

func (q quoted) MarshalJSON() ([]byte, error) { return json.Marshal("<" + string(q) + ">") }
func (m marked) MarshalText() ([]byte, error) { return []byte("<" + m + ">"), nil }

// blockText returns the text block of a result whose JSON is value.
func blockText(t *testing.T, tool *mcptool.Tool, value string) (text string) {
	t.Helper()
	if !strings.HasPrefix(tool.Info().Name, "string") {
		return value
	}
	decode(t, value, &text)
	return text
}

// TestOutputsOfEveryShape calls tools with results of every JSON type in every revision. The answer of tools/call must
// match the schema in tools/list, and both are wrapped or neither. The text block is the same in every revision: the value
// without the object around it, a string without quotes. [mcptool.Tool.Call] adds the text of a string. Clients of the
// revision must accept the list.
func TestOutputsOfEveryShape(t *testing.T) {
	t.Parallel()
	const (
		object = iota // structured in revisions with structured results
		other         // wrapped in revisions that require an object
		lost          // cannot be wrapped, so only text in those revisions
		free          // without a schema, so structured only if the value is valid
	)
	for _, tt := range []struct {
		tool  *mcptool.Tool
		value string
		shape int
	}{
		{returning(t, "struct", station{"a"}), `{"name":"a"}`, object},
		{returning(t, "map", map[string]int{"a": 1}), `{"a":1}`, object},
		{returning(t, "string", "10:00 \"start\"\nline2 <&>\\"), `"10:00 \"start\"\nline2 <&>\\"`, other},
		{returning(t, "string_empty", ""), `""`, other},
		{returning(t, "string_defined", written("a\tb")), `"a\tb"`, other},
		{returning(t, "string_pointer", new("a")), `"a"`, other},
		{returning(t, "json_method", quoted("a")), `"<a>"`, free},
		{returning(t, "text_method", marked("a")), `"<a>"`, other},
		{returning(t, "time", time.Unix(0, 0).UTC()), `"1970-01-01T00:00:00Z"`, other},
		{returning(t, "json_number", json.Number("1")), `1`, other},
		{returning(t, "number", 1.5), `1.5`, other},
		{returning(t, "bool", false), `false`, other},
		{returning(t, "number_pointer", new(5)), `5`, other},
		{returning(t, "list", []int{1, 2}), `[1,2]`, other},
		{returning(t, "list_pointer", &[]int{1}), `[1]`, other},
		{returning(t, "nil_map", map[string]int(nil)), `{}`, object},
		{returning(t, "result_of_list", &mcptool.Result{Structured: []int{1}}, mcptool.OutputType[[]int]()), `[1]`, other},
		{returning(t, "result_of_number", &mcptool.Result{Structured: 5}, mcptool.OutputType[int]()), `5`, other},
		{returning(t, "string_in_result", &mcptool.Result{Structured: "a \"b\""}, mcptool.OutputType[string]()), `"a \"b\""`, other},
		{returning(t, "string_as_JSON", &mcptool.Result{Structured: json.RawMessage(`"a\tb"`)}, mcptool.OutputType[written]()), `"a\tb"`, other},
		{returning(t, "method_in_result", &mcptool.Result{Structured: quoted("a")}, mcptool.OutputType[quoted]()), `"<a>"`, other},
		{returning(t, "undeclared_string", &mcptool.Result{Structured: "a"}), `"a"`, free},
		{returning(t, "undeclared_list", &mcptool.Result{Structured: []int{1}}), `[1]`, free},
		{returning(t, "undeclared_null", &mcptool.Result{Structured: json.RawMessage(`null`)}), `null`, free},
		{returning(t, "empty_list", []int(nil)), `[]`, other},
		{returning(t, "nullable", []*station{nil}), `[null]`, other},
		{returning(t, "recursive", forest{{"a", forest{}}}), `[{"name":"a","kids":[]}]`, other},
		{returning[any](t, "anything", map[string]any{"a": 1}), `{"a":1}`, free},
		{returning[any](t, "nothing", nil), `null`, free},
		{
			returning(t, "unmovable", json.RawMessage(`["a"]`), mcptool.OutputSchema(json.RawMessage(`{"$id":"https://example.com/a","type":"array","items":{"type":"string"}}`))),
			`["a"]`, lost,
		},
	} {
		for _, revision := range revisions {
			w := open(t, serve(t, tt.tool))
			request := modern
			if revision != modernRevision {
				w.handshake(revision)
				request = func(id, method, params string) string { return legacy(id, method, strings.TrimPrefix(params, ",")) }
			}
			w.send(request("1", "tools/list", ""))
			var list struct {
				Result struct {
					Tools []struct{ OutputSchema json.RawMessage }
				}
			}
			decode(t, w.next(), &list)
			w.send(request("2", "tools/call", `,"name":"`+tt.tool.Info().Name+`"`))
			var call struct {
				Result struct {
					Content           []struct{ Type, Text string }
					StructuredContent json.RawMessage
				}
			}
			decode(t, w.next(), &call)

			want := tt.value
			switch {
			case revision < "2025-06-18", tt.shape == lost && revision != modernRevision,
				tt.shape == free && tt.value[0] != '{' && revision != modernRevision:
				want = ""
			case tt.shape == other && revision != modernRevision:
				want = `{"result":` + tt.value + `}`
			}
			schema := list.Result.Tools[0].OutputSchema
			if got := string(call.Result.StructuredContent); got != want || (schema == nil) != (want == "" || tt.shape == free) {
				t.Errorf("%s in %s: structuredContent = %s, want %s; schema %s", tt.tool.Info().Name, revision, got, want, schema)
			}
			text := blockText(t, tt.tool, tt.value)
			if blocks := call.Result.Content; len(blocks) != 1 || blocks[0].Type != "text" || blocks[0].Text != text {
				t.Errorf("%s in %s: content = %q, want the text %q", tt.tool.Info().Name, revision, blocks, text)
			}
			if schema != nil {
				acceptable(t, schema, want, revision)
			}
		}
		res, err := tt.tool.Call(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var added []mcptool.Content
		if text := blockText(t, tt.tool, tt.value); text != tt.value {
			added = []mcptool.Content{mcptool.Text{Text: text}}
		}
		if diff := cmp.Diff(added, res.Content); diff != "" {
			t.Errorf("%s: Call returns other content (-want +got):\n%s", tt.tool.Info().Name, diff)
		}
	}
}

// TestNilPointerResult tests in every revision that a nil pointer without an error is a defect, and is not sent as null.
func TestNilPointerResult(t *testing.T) {
	t.Parallel()
	for _, made := range []*mcptool.Tool{returning[*int](t, "x", nil), returning[*station](t, "x", nil), returning[*string](t, "x", nil)} {
		for _, revision := range revisions {
			srv := serve(t, made)
			log := logged(srv, slog.LevelError)
			w := open(t, srv)
			request := modern("1", "tools/call", `,"name":"x"`)
			if revision != modernRevision {
				w.handshake(revision)
				request = legacy("1", "tools/call", `"name":"x"`)
			}
			w.send(request)
			answer := w.want(`the tool failed with an internal error (reference `, `"isError":true`)
			if strings.Contains(answer, "structuredContent") || !strings.Contains(log.String(), "the func returned a nil pointer and no error") {
				t.Errorf("%s in %s: got %s, and the log %s", made.OutputSchema().JSON(), revision, answer, log)
			}
		}
	}
}

// TestOmitOutputSchema: tools/list omits the output schema if the tool sets OmitOutputSchema, or else the server, in every
// revision. Results are the same and are still checked.
func TestOmitOutputSchema(t *testing.T) {
	t.Parallel()
	wrong := mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","maxLength":2}},"required":["name"]}`))
	for _, tt := range []struct {
		name   string
		server bool
		opts   []mcptool.ToolOption
		omits  bool
		reason string
	}{
		{"default", false, nil, false, "not set"},
		{"tool", false, []mcptool.ToolOption{mcptool.OmitOutputSchema(true)}, true, "set for the tool"},
		{"server", true, nil, true, "set for all tools"},
		{"tool against server", true, []mcptool.ToolOption{mcptool.OmitOutputSchema(false)}, false, "the tool takes precedence"},
	} {
		for _, revision := range revisions {
			srv := serve(t, returning(t, "good", station{"a"}, tt.opts...), returning(t, "list", []int{1}, tt.opts...),
				returning(t, "wrong", station{"abc"}, append(tt.opts, wrong)...))
			srv.OmitOutputSchemas = tt.server
			w := open(t, srv)
			request := modern
			if revision != modernRevision {
				w.handshake(revision)
				request = func(id, method, params string) string { return legacy(id, method, strings.TrimPrefix(params, ",")) }
			}
			w.send(request("1", "tools/list", ""))
			schemas := 3
			if tt.omits || revision < "2025-06-18" {
				schemas = 0
			}
			if list := w.next(); strings.Count(list, `"outputSchema"`) != schemas {
				t.Errorf("%s in %s: want %d output schemas (%s): %s", tt.name, revision, schemas, tt.reason, list)
			}
			for name, want := range map[string]string{"good": `"structuredContent":{"name":"a"}`, "list": `"structuredContent":{"result":[1]}`, "wrong": `"isError":true`} {
				if name == "list" && revision == modernRevision {
					want = `"structuredContent":[1]`
				}
				if name != "wrong" && revision < "2025-06-18" {
					want = `"content":[{"type":"text"`
				}
				w.send(request("2", "tools/call", `,"name":"`+name+`"`))
				if got := w.next(); !strings.Contains(got, want) {
					t.Errorf("%s in %s: %s returned %s, want %s", tt.name, revision, name, got, want)
				}
			}
		}
	}
}

// TestStringAlreadySaid: a string result that is already a text block is not added as another one.
func TestStringAlreadySaid(t *testing.T) {
	t.Parallel()
	says := func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			res, err := next(ctx, args)
			res.Content = append(res.Content, mcptool.Text{Text: "a\nb"})
			return res, err
		}
	}
	made := returning(t, "string", "a\nb", mcptool.Use(says))
	w := open(t, serve(t, made))
	w.send(modern("1", "tools/call", `,"name":"string"`))
	if got := w.next(); strings.Count(got, `"type":"text"`) != 1 {
		t.Errorf("got %s, want one text block", got)
	}
	res, err := made.Call(t.Context(), nil)
	if err != nil || len(res.Content) != 1 {
		t.Errorf("Call = %v, %v, want one content block", res, err)
	}
}

func decode(t *testing.T, msg string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(msg), into); err != nil {
		t.Fatalf("%v in %s", err, msg)
	}
}

// acceptable checks that a value matches its schema, and that clients of legacy revisions
// accept the schema.
func acceptable(t *testing.T, schema json.RawMessage, value, revision string) {
	t.Helper()
	parsed, err := reflectschema.ParseSchema(schema)
	if err == nil {
		err = parsed.Check([]byte(value))
	}
	if err != nil {
		t.Errorf("%s in %s: %s: %v", schema, revision, value, err)
		return
	}
	if revision == modernRevision {
		return
	}
	for _, f := range lint.Schema(parsed, reflectschema.DirectionOutput, lint.ProfileTypeScript2025) {
		if f.Rule.Severity == lint.SeverityRefused {
			t.Errorf("%s in %s: %s", schema, revision, f)
		}
	}
}
