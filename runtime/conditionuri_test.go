package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestConditionsGetTheURI: a condition gets the URI that is read or subscribed to, in its normal form, so that another
// spelling of it does not pass.
func TestConditionsGetTheURI(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		srv := serve(t)
		addResource(t, srv, "x:///{id}", func(ctx context.Context, in textID) (string, error) {
			return in.ID + " as " + mcptool.Caller(ctx).Resource, nil
		}, mcptool.VisibleIf(func(info mcptool.CallInfo) bool {
			asked = append(asked, info.Resource)
			return info.Resource != "x:///secret"
		}))
		w := open(t, srv)
		w.handshake("2025-11-25")
		for i, method := range []string{"resources/read", "resources/subscribe"} {
			for j, test := range []struct{ uri, want, info string }{
				{"x:///secret", "Resource not found", "x:///secret"},
				{"x:///%73ecre%74", "Resource not found", "x:///secret"},
				{"x:///%61%c3%bc", `"result"`, "x:///a%C3%BC"},
			} {
				asked = nil
				id := fmt.Sprint(10*i + j + 1)
				w.send(legacy(id, method, `"uri":"`+test.uri+`"`))
				w.want(test.want)
				if !slices.Contains(asked, test.info) || slices.Contains(asked, "x:///{id}") {
					t.Errorf("%s of %s: the condition got %q, want %q", method, test.uri, asked, test.info)
				}
			}
		}
	})
}
