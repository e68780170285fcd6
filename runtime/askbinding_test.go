package runtime_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestAskBinding: a state is valid only for the server and the kind of connection that created it, even if the keys are
// shared, and a request may have only one answer.
func TestAskBinding(t *testing.T) {
	t.Parallel()
	server := func(name string) *runtime.Server {
		srv := serve(t, confirming(t, "ask", nil))
		srv.Name, srv.StateKeys = name, [][32]byte{{1}}
		return srv
	}
	inSession := func(name, params string) string {
		w := open(t, server(name))
		w.send(able("1", "tools/call", `,"name":"ask"`+params))
		return w.next()
	}
	atEndpoint := func(name, params string) string {
		srv := server(name)
		m := srv.Read([]byte(able("1", "tools/call", `,"name":"ask"`+params)))
		x := &collector{end: make(chan []byte, 1)}
		endpoint := srv.Endpoint(t.Context())
		endpoint.Answer(t.Context(), m, x)
		return string(<-x.end)
	}
	const agreed, refused = `"text":"agreed"`, `"code":-32602`
	no := `{"action":"decline"}`
	yes := `{"action":"accept","content":{"confirm":true}}`
	for _, test := range []struct {
		name        string
		first, then func(name, params string) string
		server      string
		responses   string
		want        string
	}{
		{"same session kind", inSession, inSession, "shop", `"q1":` + yes, agreed},
		{"same endpoint", atEndpoint, atEndpoint, "shop", `"q1":` + yes, agreed},
		{"T-MRTR-08 another server", inSession, inSession, "bank", `"q1":` + yes, refused},
		{"T-MRTR-08 another transport", inSession, atEndpoint, "shop", `"q1":` + yes, refused},
		{"T-MRTR-10 two answers", inSession, inSession, "shop", `"q1":` + no + `,"q1":` + yes, refused},
		{"T-MRTR-10 two answers, one escaped", inSession, inSession, "shop", `"q1":` + yes + `,"\u00711":` + no, refused},
	} {
		state := stateOf(t, test.first("shop", ""))
		if got := test.then(test.server, `,"requestState":"`+state+`","inputResponses":{`+test.responses+`}`); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
