package mcptool_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

type orderIn struct {
	_      struct{} `mcp:"uri=orders://{id}/lines{?expand,limit},mimeType=application/json,audience=user assistant,priority=0.5" doc:"Lines of an order"`
	ID     int64    `json:"id" jsonschema:"minimum=1"`
	Expand bool     `json:"expand,omitzero"`
	Limit  int      `json:"limit" jsonschema:"default=10,maximum=100"`
}

type orderOut struct {
	ID    int64 `json:"id"`
	Limit int   `json:"limit"`
}

// newResource defines a resource without mistakes.
func newResource[In, Out any](tb testing.TB, fn func(context.Context, In) (Out, error), opts ...mcptool.ResourceOption) *mcptool.Resource {
	tb.Helper()
	r, err := mcptool.NewResource(fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func getOrder(_ context.Context, in orderIn) (orderOut, error) {
	switch in.ID {
	case 404:
		return orderOut{}, mcptool.ErrResourceNotFound
	case 500:
		return orderOut{}, errors.New("database is gone")
	}
	return orderOut{ID: in.ID, Limit: in.Limit}, nil
}

func TestResource(t *testing.T) {
	t.Parallel()
	r := newResource(t, getOrder)
	priority := 0.5
	want := mcptool.ResourceLink{
		URI: "orders://{id}/lines{?expand,limit}", Name: "get_order", Description: "Lines of an order", MIMEType: "application/json",
		Annotations: &mcptool.Annotations{Audience: []mcptool.Role{"assistant", "user"}, Priority: &priority},
	}
	link := r.Link()
	if diff := cmp.Diff(want, link); diff != "" || !internals.IsTemplate(r) {
		t.Errorf("unexpected link:\n%s", diff)
	}
	link.Annotations.Audience[0], *link.Annotations.Priority = "user", 1
	if diff := cmp.Diff(want, r.Link()); diff != "" {
		t.Errorf("a change of the link has changed the resource:\n%s", diff)
	}
	for _, test := range []struct {
		reason, uri, want string
		err               error
	}{
		{"all variables", "orders://7/lines?limit=5&expand=true", `{"id":7,"limit":5}`, nil},
		{"defaults", "orders://7/lines", `{"id":7,"limit":10}`, nil},
		{"another path", "orders://7/line", "", mcptool.ErrResourceNotFound},
		{"unknown parameter", "orders://7/lines?x=1", "", mcptool.ErrResourceNotFound},
		{"missing resource", "orders://404/lines", "", mcptool.ErrResourceNotFound},
		{"not a number", "orders://seven/lines", "", new(mcptool.ArgumentError)},
		{"invalid value", "orders://7/lines?limit=101", "", new(mcptool.ArgumentError)},
	} {
		got, err := r.Read(t.Context(), test.uri)
		if test.err != nil {
			if _, isArgument := errors.AsType[*mcptool.ArgumentError](test.err); isArgument {
				if _, ok := errors.AsType[*mcptool.ArgumentError](err); !ok {
					t.Errorf("%s: error %v", test.reason, err)
				}
			} else if !errors.Is(err, test.err) {
				t.Errorf("%s: error %v", test.reason, err)
			}
			continue
		}
		want := []mcptool.ResourceContents{{URI: test.uri, MIMEType: "application/json", Text: test.want}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.reason, err, diff)
		}
	}
	if _, err := r.Read(t.Context(), "orders://500/lines"); err == nil || err.Error() != "database is gone" {
		t.Errorf("got error %v, want the error of the func", err)
	}
}

// closer counts calls of Close.
type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error { c.closed++; return nil }

func TestResourceContents(t *testing.T) {
	t.Parallel()
	at := func(opts ...mcptool.ResourceOption) []mcptool.ResourceOption {
		return append(opts, mcptool.URI("a://b"), mcptool.Name("b"))
	}
	file := &closer{Reader: strings.NewReader("abc")}
	broken := &closer{Reader: io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errors.New("disk failed")))}
	endless := &closer{Reader: endlessReader{}}
	for _, test := range []struct {
		reason   string
		resource *mcptool.Resource
		want     mcptool.ResourceContents
		err      string
	}{
		{"string", newResource(t, func(context.Context, struct{}) (string, error) { return "x\u202e", nil }, at()...), mcptool.ResourceContents{MIMEType: "text/plain", Text: "x\u202e"}, ""},
		{"string with a media type", newResource(t, func(context.Context, struct{}) (string, error) { return "a,b", nil }, at(mcptool.MIMEType("text/csv"))...), mcptool.ResourceContents{MIMEType: "text/csv", Text: "a,b"}, ""},
		{"string that is not UTF-8", newResource(t, func(context.Context, struct{}) (string, error) { return "\xff", nil }, at()...), mcptool.ResourceContents{}, "contents[0].text: it is not UTF-8"},
		{"bytes", newResource(t, func(context.Context, struct{}) ([]byte, error) { return []byte("x"), nil }, at()...), mcptool.ResourceContents{MIMEType: "application/octet-stream", Blob: []byte("x")}, ""},
		{"bytes with a text type", newResource(t, func(context.Context, struct{}) ([]byte, error) { return []byte("x"), nil }, at(mcptool.MIMEType("text/markdown"))...), mcptool.ResourceContents{MIMEType: "text/markdown", Text: "x"}, ""},
		{"bytes with a text type that are not UTF-8", newResource(t, func(context.Context, struct{}) ([]byte, error) { return []byte("\xff"), nil }, at(mcptool.MIMEType("text/markdown"))...), mcptool.ResourceContents{MIMEType: "text/markdown", Blob: []byte("\xff")}, ""},
		{"nil bytes", newResource(t, func(context.Context, struct{}) ([]byte, error) { return nil, nil }, at()...), mcptool.ResourceContents{MIMEType: "application/octet-stream", Blob: []byte{}}, ""},
		{"reader", newResource(t, func(context.Context, struct{}) (io.ReadCloser, error) { return file, nil }, at(mcptool.MIMEType("image/png"))...), mcptool.ResourceContents{MIMEType: "image/png", Blob: []byte("abc")}, ""},
		{"failing reader", newResource(t, func(context.Context, struct{}) (*closer, error) { return broken, nil }, at()...), mcptool.ResourceContents{}, "disk failed"},
		{"endless reader", newResource(t, func(context.Context, struct{}) (io.Reader, error) { return endless, nil }, at()...), mcptool.ResourceContents{}, "more than 16777216 bytes"},
		{"nil reader", newResource(t, func(context.Context, struct{}) (io.Reader, error) { return nil, nil }, at()...), mcptool.ResourceContents{}, "the func returned a nil pointer"},
		{"contents", newResource(t, func(context.Context, struct{}) (mcptool.ResourceContents, error) {
			return mcptool.ResourceContents{Text: "x"}, nil
		}, at()...), mcptool.ResourceContents{MIMEType: "text/plain", Text: "x"}, ""},
		{"number", newResource(t, func(context.Context, struct{}) (int, error) { return 7, nil }, at()...), mcptool.ResourceContents{MIMEType: "application/json", Text: "7"}, ""},
		{"JSON with a media type", newResource(t, func(context.Context, struct{}) ([]int, error) { return nil, nil }, at(mcptool.MIMEType("application/geo+json"))...), mcptool.ResourceContents{MIMEType: "application/geo+json", Text: "[]"}, ""},
		{"no contents", newResource(t, func(context.Context, struct{}) ([]mcptool.ResourceContents, error) { return nil, nil }, at()...), mcptool.ResourceContents{}, "return ErrResourceNotFound if the resource does not exist"},
		{"both", newResource(t, func(context.Context, struct{}) (mcptool.ResourceContents, error) {
			return mcptool.ResourceContents{URI: "x", MIMEType: "y", Text: "x", Blob: []byte("y")}, nil
		}, at()...), mcptool.ResourceContents{}, `contents[0].uri: "x" is not absolute; start it with a scheme, such as https: or file:; contents[0].mimeType: "y" is not a media type; write type/subtype, such as text/csv; contents[0]: contents must be text or a blob`},
		{"panic", newResource(t, func(context.Context, struct{}) (string, error) { panic("no") }, at()...), mcptool.ResourceContents{}, "panic: no"},
	} {
		got, err := test.resource.Read(t.Context(), "a://b")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %q", test.reason, err, test.err)
			}
			continue
		}
		test.want.URI = "a://b"
		if diff := cmp.Diff([]mcptool.ResourceContents{test.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.reason, err, diff)
		}
	}
	if file.closed != 1 || broken.closed != 1 || endless.closed != 1 {
		t.Errorf("readers closed %d, %d and %d times", file.closed, broken.closed, endless.closed)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }

func TestResourceMistakes(t *testing.T) {
	t.Parallel()
	type badIn struct {
		_    struct{} `mcp:"uri=a://{id}/{other},size=12,priority=2,audience=model,mimeType=text,task=optional"`
		ID   []string `json:"id"`
		More string   `json:"more"`
	}
	_, err := mcptool.NewResource(func(context.Context, badIn) (*mcptool.Result, error) { return nil, nil })
	wantMistakes(t, registerError(t, nil, err),
		"task applies to tools, and this is a resource",
		"a template has no fixed size",
		`(mimeType): "text" is not a media type`,
		`(audience[0]): "model" is not a role of the protocol`,
		`(priority): 2 is not from 0 to 1`,
		"(id): clients send the arguments of a resource as strings",
		"the variable other of the URI has no field",
		"(more): the field is not a variable of the URI a://{id}/{other}",
		"unsupported result type for a resource",
	)
	_, err = mcptool.NewResource(func(context.Context, struct{}) ([]*mcptool.ResourceContents, error) { return nil, nil }, mcptool.URI("a://b"))
	wantMistakes(t, registerError(t, nil, err), "[]*mcptool.ResourceContents: unsupported result type for a resource; return a string, []byte")
	_, err = mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "", nil })
	wantMistakes(t, registerError(t, nil, err), "the resource has no URI; pass URI(")
	_, err = mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.URI("docs/a"), mcptool.Name(" "))
	wantMistakes(t, registerError(t, nil, err), "uri: ", "sets an empty name")
	_, err = mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.URI("docs://a/../b"),
		mcptool.ListWith(func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return nil, "", nil }))
	wantMistakes(t, registerError(t, nil, err), `the path has the segment ".."`, "the option ListWith is for templates")
}

func TestResourceList(t *testing.T) {
	t.Parallel()
	r := newResource(t, func(_ context.Context, in struct {
		ID string `json:"id"`
	},
	) (string, error) {
		return in.ID, nil
	}, mcptool.URI("a://{id}"), mcptool.Name("a"), mcptool.MIMEType("text/plain"),
		mcptool.ListWith(func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
			switch cursor {
			case "":
				return []mcptool.ResourceLink{{URI: "a://1", Name: "one"}}, "two", nil
			case "two":
				return []mcptool.ResourceLink{{URI: "b://1", Name: "one"}, {URI: "a://2"}}, "", nil
			default:
				return nil, "", errors.New("bad cursor")
			}
		}))
	page, next, err := listPage(t.Context(), r, "")
	want := []mcptool.ResourceLink{{URI: "a://1", Name: "one", MIMEType: "text/plain"}}
	if diff := cmp.Diff(want, page); err != nil || next != "two" || diff != "" {
		t.Errorf("%v %q\n%s", err, next, diff)
	}
	if _, _, err = listPage(t.Context(), r, "two"); err == nil || !strings.Contains(err.Error(), `links[0].uri: "b://1" does not match the template a://{id}`) || !strings.Contains(err.Error(), "links[1].name") {
		t.Errorf("invalid links: %v", err)
	}
	if _, _, err = listPage(t.Context(), r, "x"); err == nil || err.Error() != "bad cursor" {
		t.Errorf("got error %v, want the error of the func", err)
	}
}

func TestResourceRegistry(t *testing.T) {
	t.Parallel()
	plain := func(uri string) *mcptool.Resource {
		return newResource(t, func(context.Context, struct{}) (string, error) { return uri, nil }, mcptool.URI(uri))
	}
	template := func(uri string) *mcptool.Resource {
		return newResource(t, func(_ context.Context, in struct {
			ID string `json:"id"`
		},
		) (string, error) {
			return in.ID, nil
		}, mcptool.URI(uri))
	}
	var r mcptool.Registry
	changes := [3]int{}
	defer internals.Watch(&r, func(list int, _ bool) { changes[list]++ }, ignoreUpdates, nil)()
	if internals.Generations(&r) != [3]uint64{} {
		t.Error("resources were added despite a mistake")
	}
	if err := errors.Join(r.Add(mcptool.Resources{}), r.Add(mcptool.Prompts{}), r.Add(mcptool.Prompts{})); err != nil || internals.Generations(&r) != [3]uint64{0, 1, 1} {
		t.Errorf("adding no resources: %v", err)
	}
	all, exact := template("docs://{id}"), plain("docs://a")
	if err := r.Add(all, exact, template("docs://{id}/x")); err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]*mcptool.Resource{"docs://a": exact, "docs://b": all, "docs://%61": exact, "docs://b/y": nil, "docs://..": nil} {
		if got, ok := r.LookupResource(uri); got != want || ok != (want != nil) {
			t.Errorf("LookupResource(%q) = %v, %v", uri, got, ok)
		}
	}
	if got, ok := internals.LookupTemplate(&r, "docs://{id}"); !ok || got != all {
		t.Error("LookupResource found a template by its text")
	}
	if _, ok := r.LookupResource("docs://{id}"); ok {
		t.Error("LookupResource found a URI for a template")
	}
	err := r.Add(template("docs://{+id}"), plain("docs://a"), (*mcptool.Resource)(nil))
	wantMistakes(t, registerError(t, nil, err), "resource 3 of the call is empty", "has the same URI as the one defined at", "both match docs://", "both match docs://")
	if err := r.Replace(plain("docs://a")); err != nil {
		t.Error(err)
	}
	if n := r.Remove(exact, all, plain("x://a")); n != 2 || changes != [3]int{0, 1, 4} {
		t.Errorf("removed %d, %v changes", n, changes)
	}
	var updated []string
	stop := internals.Watch(&r, func(int, bool) {}, func(uri string) { updated = append(updated, uri) }, nil)
	r.ResourceUpdated("a://b")
	stop()
	r.ResourceUpdated("a://c")
	if !slices.Equal(updated, []string{"a://b"}) {
		t.Errorf("updates: %q", updated)
	}
}
