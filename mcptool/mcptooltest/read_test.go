package mcptooltest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type orderIn struct {
	_  struct{} `mcp:"uri=orders://{id},scopes=orders:read"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

type order struct {
	ID int    `json:"id"`
	By string `json:"by"`
}

// readOrder asks the user about order 7.
func readOrder(ctx context.Context, in orderIn) (order, error) {
	switch in.ID {
	case 7:
		if err := mcptool.Confirm(ctx, "Show it?"); err != nil {
			return order{}, err
		}
	case 404:
		return order{}, mcptool.ErrResourceNotFound
	}
	return order{ID: in.ID, By: mcptool.Caller(ctx).Principal}, nil
}

func newResource[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error), opts ...mcptool.ResourceOption) *mcptool.Resource {
	t.Helper()
	resource, err := mcptool.NewResource(fn, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return resource
}

// contentsResource returns a resource with the given contents.
func contentsResource(t *testing.T, contents ...mcptool.ResourceContents) *mcptool.Resource {
	t.Helper()
	return newResource(t, func(context.Context, struct{}) ([]mcptool.ResourceContents, error) { return contents, nil }, mcptool.URI("x://y"))
}

func TestRead(t *testing.T) {
	t.Parallel()
	orders := newResource(t, readOrder)
	if got := mcptooltest.Read[order](t, orders, "orders://3"); got.ID != 3 {
		t.Errorf("as a struct: %+v", got)
	}
	if got := mcptooltest.Read[*order](t, orders, "orders://3"); got.ID != 3 {
		t.Errorf("as a pointer: %+v", got)
	}
	if got := mcptooltest.Read[string](t, orders, "orders://3"); got != `{"id":3,"by":""}` {
		t.Errorf("as text: %s", got)
	}
	want := mcptool.ResourceContents{URI: "orders://3", MIMEType: "application/json", Text: `{"id":3,"by":""}`}
	if diff := cmp.Diff(want, mcptooltest.Read[mcptool.ResourceContents](t, orders, "orders://3")); diff != "" {
		t.Errorf("as contents (-want +got):\n%s", diff)
	}
	two := contentsResource(t, mcptool.ResourceContents{Text: "a"}, mcptool.ResourceContents{URI: "x://y/z", Blob: []byte("b")})
	if got := mcptooltest.Read[[]mcptool.ResourceContents](t, two, "x://y"); len(got) != 2 || got[1].URI != "x://y/z" {
		t.Errorf("as several contents: %v", got)
	}
	if got := mcptooltest.Read[[]byte](t, contentsResource(t, mcptool.ResourceContents{Blob: []byte("b")}), "x://y"); string(got) != "b" {
		t.Errorf("blob as bytes: %q", got)
	}
	if got := mcptooltest.Read[[]byte](t, contentsResource(t, mcptool.ResourceContents{Text: "a"}), "x://y"); string(got) != "a" {
		t.Errorf("text as bytes: %q", got)
	}
}

func TestReadAs(t *testing.T) {
	t.Parallel()
	orders := newResource(t, readOrder)
	for _, replay := range []bool{false, true} {
		user := &mcptooltest.Client{Principal: "ann", Scopes: []string{"orders:read"}, Answers: []any{true}, Replay: replay}
		if got := mcptooltest.ReadAs[order](t, user, orders, "orders://7"); got != (order{7, "ann"}) {
			t.Errorf("replay %v: %+v", replay, got)
		}
		if _, err := user.Read(t.Context(), orders, "orders://404"); !errors.Is(err, mcptool.ErrResourceNotFound) {
			t.Errorf("replay %v: missing resource: %v", replay, err)
		}
	}
	stranger := &mcptooltest.Client{Principal: "bob"}
	if _, err := stranger.Read(t.Context(), orders, "orders://3"); !errors.Is(err, mcptooltest.ErrHidden) {
		t.Errorf("without the scopes: %v", err)
	}
}

func TestReadEndsTheTest(t *testing.T) {
	t.Parallel()
	orders := newResource(t, readOrder)
	blob := contentsResource(t, mcptool.ResourceContents{Blob: []byte("b")})
	for _, test := range []struct {
		reason string
		call   func(tb *recorder)
		want   string
	}{
		{"a URI that does not match", func(tb *recorder) { mcptooltest.Read[string](tb, orders, "notes://3") }, "notes://3: resource not found"},
		{"a variable that does not fit", func(tb *recorder) { mcptooltest.Read[string](tb, orders, "orders://0") }, "id: must be at least 1"},
		{"error", func(tb *recorder) { mcptooltest.Read[string](tb, orders, "orders://404") }, "orders://404: resource not found"},
		{"no parts of several", func(tb *recorder) {
			mcptooltest.Read[string](tb, contentsResource(t, mcptool.ResourceContents{Text: "a"}, mcptool.ResourceContents{Text: "b"}), "x://y")
		}, `x://y: want one part, got 2: [x://y: text/plain, "a" x://y: text/plain, "b"]`},
		{"a blob for text", func(tb *recorder) { mcptooltest.Read[string](tb, blob, "x://y") }, "x://y: want text, got x://y: application/octet-stream, 1 bytes"},
		{"text that is not valid JSON of the type", func(tb *recorder) { mcptooltest.Read[[]int](tb, orders, "orders://3") }, "decode the contents"},
		{"unused answer", func(tb *recorder) {
			mcptooltest.ReadAs[order](tb, &mcptooltest.Client{Answers: []any{true}}, orders, "orders://3")
		}, "orders://3: the resource sent 0 requests, want 1, one for each answer"},
	} {
		if got := ended(t, test.call); !strings.Contains(got, test.want) {
			t.Errorf("%s: the test ended with %q, want %q", test.reason, got, test.want)
		}
	}
}
