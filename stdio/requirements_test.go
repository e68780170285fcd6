package stdio_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// TestNoAuthorization: the user who started the program is trusted, so scopes, which
// apply to HTTP, hide no tools and no token is needed.
func TestNoAuthorization(t *testing.T) {
	t.Parallel()
	t.Run("T-STDIO-09", func(t *testing.T) {
		t.Parallel()
		type in struct {
			_ struct{} `mcp:"name=secrets,scopes=secrets:read"`
		}
		tool, err := mcptool.New(func(ctx context.Context, _ in) (mcptool.Text, error) {
			return mcptool.Text{Text: "for " + mcptool.Caller(ctx).Principal}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		srv := &runtime.Server{Tools: &mcptool.Registry{}}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}` + "\n"
		if err := stdio.Serve(t.Context(), srv, stdio.In(strings.NewReader(list+call(2, "secrets", `{}`))), stdio.Out(&out)); err != nil {
			t.Fatal(err)
		}
		answers := readAnswers(t, out.String())
		if tools := answers[1].Result.Tools; len(tools) != 1 || tools[0].Name != "secrets" {
			t.Errorf("listed %+v, want secrets", tools)
		}
		if got := answers[2].text(); got != "for " {
			t.Errorf("result = %q, want \"for \"", got)
		}
	})
}
