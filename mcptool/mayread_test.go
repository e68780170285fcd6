package mcptool_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// permittedIn are the variables of orders://{id}.
type permittedIn struct {
	_  struct{} `mcp:"uri=orders://{id}"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

func readPermitted(context.Context, permittedIn) (string, error) { return "an order", nil }

// TestMayRead checks reads without a server.
func TestMayRead(t *testing.T) {
	t.Parallel()
	errClosed := errors.New("closed")
	r, err := mcptool.NewResource(readPermitted, mcptool.Name("order"), mcptool.MayRead(func(_ context.Context, in permittedIn) error {
		return map[int]error{2: mcptool.ErrResourceNotFound, 3: errClosed}[in.ID]
	}))
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]error{"orders://1": nil, "orders://2": mcptool.ErrResourceNotFound, "orders://3": errClosed} {
		contents, err := r.Read(t.Context(), uri)
		if !errors.Is(err, want) || err == nil && contents[0].Text != "an order" {
			t.Errorf("%s: got %v and error %v, want error %v", uri, contents, err, want)
		}
	}
	if _, err := r.Read(t.Context(), "orders://0"); err == nil || !strings.Contains(err.Error(), "id") {
		t.Errorf("with an invalid id: got error %v", err)
	}
}

// TestMayReadMistakes checks the mistakes in the option.
func TestMayReadMistakes(t *testing.T) {
	t.Parallel()
	allow := mcptool.MayRead(func(context.Context, permittedIn) error { return nil })
	for want, opts := range map[string][]mcptool.ResourceOption{
		"the func of the option MayRead is nil":                                    {mcptool.MayRead[permittedIn](nil)},
		"the option MayRead is given twice":                                        {allow, allow},
		"the func of the option MayRead takes struct {}, and the resource has mcp": {mcptool.MayRead(func(context.Context, struct{}) error { return nil })},
	} {
		if _, err := mcptool.NewResource(readPermitted, append(opts, mcptool.Name("order"))...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}
