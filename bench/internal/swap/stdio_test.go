package swap_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
)

// TestFirst has a client whose handshake is answered by the first version, unchanged but for listChanged.
func TestFirst(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	c := connect(t, f)
	c.send(initialize)
	c.silent()
	use(t, f, version("raw", "v1"))
	c.expect(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"raw","version":"v1"},"capabilities":{"logging":{}, "tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}},"instructions":"<b>&"}}`)
	c.send(initialized, call(`"a"`, "x"))
	c.expect(result(`"a"`, "v1"))
	if _, err := io.WriteString(c.in, call("2", "x")); err != nil { // without the end of a line
		t.Fatal(err)
	}
	_ = c.in.Close()
	c.expect(result("2", "v1"))
}

// TestSwap checks what a new process gets, and what the client gets.
func TestSwap(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	c.send(
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"a:c"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"a:c"}}`,
	)
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		c.expect(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
	}
	use(t, f, version("raw", "v2", env))
	c.expect(toolsNote, resNote)
	c.send(call("6", "x"))
	c.expect(result("6", "v2"))
	waitFor(t, "the end of v1", func() bool { return strings.Contains(log(), "v1 end of stdin") })
	var got []string
	for line := range strings.Lines(log()) {
		if line, ok := strings.CutPrefix(line, "v2 "); ok {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if len(got) != 5 || got[1] != initialized || got[4] != call("6", "x") {
		t.Fatalf("v2 gets\n%s", strings.Join(got, "\n"))
	}
	for i, want := range map[int]string{0: strings.Replace(initialize, `"id":0`, `"id":"ID"`, 1), 2: `"uri":"a:b"`, 3: `"level":"debug"`} {
		_, rest, _ := strings.Cut(got[i], `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		if text := strings.Replace(got[i], id, "ID", 1); len(id) < 20 || !strings.Contains(text, want) {
			t.Errorf("v2 gets %s, want %s", text, want)
		}
	}
}

// TestRunning has calls in the old process while it is replaced: one that ends, one that does not, one that asks.
func TestRunning(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{Grace: 300 * time.Millisecond}, version("raw", "v1", env))
	c.send(call("1", "never"), call("2", "ask"))
	question := func(version, id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":"` + version + `","requestedSchema":{"type":"object","properties":{}},"_meta":{"progressToken":7}}}`
	}
	c.expect(question("v1", "1"))
	use(t, f, version("raw", "v2", env))
	c.expect(toolsNote, resNote)
	c.send(call("3", "ask"))
	other := c.next() // the id 1 is in use
	if _, id, _ := strings.Cut(other, `"id":"`); len(id) < 20 || !strings.Contains(other, `"message":"v2"`) {
		t.Fatalf("the client gets %s", other)
	}
	_, id, _ := strings.Cut(other, `"id":`)
	id, _, _ = strings.Cut(id, ",")
	answer := `{"jsonrpc":"2.0","id":ID,"result":{"action":"decline"}}`
	c.send(strings.Replace(answer, "ID", id, 1))
	c.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"v2 was answered"}}`)
	c.send(strings.Replace(answer, "ID", "1", 1))
	c.expect(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"v1 was answered"}}`)
	got := []string{c.next(), c.next()}
	if got[0] > got[1] {
		got[0], got[1] = got[1], got[0]
	}
	const why = "the server was replaced by a new build, and did not answer within 300ms"
	if got[0] != failed("1", why) || got[1] != failed("2", why) {
		t.Errorf("the client gets %q", got)
	}
	if !strings.Contains(log(), `v2 {"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`) {
		t.Errorf("v2 does not get the answer with its id:\n%s", log())
	}
}

// TestQuestionEnds has a question to the client whose process is killed.
func TestQuestionEnds(t *testing.T) {
	t.Parallel()
	f, _, c := begin(t, swap.Options{Grace: 50 * time.Millisecond}, version("raw", "v1"))
	c.send(call("2", "ask"))
	c.expectText(`"id":1,"method":"elicitation/create"`)
	use(t, f, version("raw", "v2"))
	c.expect(toolsNote, resNote)
	const why = "the server was replaced by a new build, and did not answer within 50ms"
	c.expect(failed("2", why), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"`+why+`","requestId":1}}`)
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`, call("3", "x")) // too late
	c.expect(result("3", "v2"))
}

// TestLateAnswer has an answer to a process that has ended, after the next one has asked with the same id.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	_, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	c.send(call("2", "ask"))
	c.expectText(`"id":1,`, `"method":"elicitation/create"`)
	c.send(call("3", "exit"))
	for range 3 { // two results and the cancellation of the question
		c.expectText("the server has ended (exit status 4)")
	}
	c.send(call("4", "ask"))
	_, id, _ := strings.Cut(c.next(), `"id":`)
	id, _, _ = strings.Cut(id, ",")
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`)
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"decline"}}`)
	c.expectText("v1 was answered")
	if strings.Contains(log(), `"action":"accept"`) || !strings.Contains(log(), `"id":1,"result":{"action":"decline"}`) {
		t.Errorf("the log is\n%s", log())
	}
}

// TestBuilding has calls that wait for a build, one of which is cancelled.
func TestBuilding(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	f.Building()
	c.send(call("1", "x"), call("2", "cancelled"), `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	c.expectText(`"id":3`, `"name":"v1"`) // lists do not wait
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	c.silent()
	if err := f.Use(t.Context(), version("raw", "v2", env)); err != nil {
		t.Fatal(err)
	}
	c.expect(toolsNote, resNote, result("1", "v2"))
	f.Building()
	c.send(call("4", "x"))
	c.silent()
	f.Unchanged()
	c.expect(result("4", "v2"))
	f.Building()
	f.Changed()
	f.Broken("of the last contents")
	c.send(call("5", "x"))
	c.silent()
	f.Building()
	f.Changed()
	if err := f.Use(t.Context(), version("raw", "v3", env)); err != nil {
		t.Fatal(err)
	}
	c.expect(toolsNote, resNote)
	c.silent() // this version was built before the change, too
	use(t, f, version("raw", "v4", env))
	c.expect(toolsNote, resNote, result("5", "v4"))
	if strings.Contains(log(), "cancelled") {
		t.Errorf("a server gets the cancelled call:\n%s", log())
	}
}

// TestCancel has calls in the old and in the new process that the client cancels.
func TestCancel(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	c.send(call("1", "never"))
	waitFor(t, "the call", func() bool { return strings.Contains(log(), `"never"`) })
	use(t, f, version("raw", "v2", env))
	c.expect(toolsNote, resNote)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	c.send(cancel)
	waitFor(t, "the end of v1", func() bool { return strings.Contains(log(), "v1 end of stdin") }) // it has nothing left to answer
	if !strings.Contains(log(), "v1 "+cancel) || strings.Contains(log(), "v2 "+cancel) {
		t.Errorf("the cancellation does not go to v1 alone:\n%s", log())
	}
	c.silent()
}

// TestBroken has builds that fail.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		f, _, c := begin(t, swap.Options{KeepLast: keep}, version("raw", "v1"))
		f.Building()
		c.send(call("1", "x"))
		f.Broken("main.go:3: <no>")
		read := `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a:b"}}`
		if keep {
			c.expect(result("1", "v1"))
			c.send(read)
			c.expectText("v1 has no such resource")
		} else {
			c.expect(failed("1", "main.go:3: <no>"))
			c.send(read)
			c.expect(`{"error":{"code":-32603,"message":"main.go:3: <no>"},"id":2,"jsonrpc":"2.0"}`)
		}
		c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		c.expectText(`"name":"v1"`)
		use(t, f, version("raw", "v2"))
		c.expect(toolsNote, resNote)
		c.send(call("4", "x"))
		c.expect(result("4", "v2"))
	}
}

// TestBrokenAtFirst has a client that connects before the first version is built.
func TestBrokenAtFirst(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	c := connect(t, f)
	c.send(initialize)
	f.Broken("main.go:3: no")
	c.expect(`{"id":0,"jsonrpc":"2.0","result":{"capabilities":{"prompts":{"listChanged":true},"resources":{"listChanged":true},"tools":{"listChanged":true}},"protocolVersion":"2025-06-18","serverInfo":{"name":"bench dev","version":"0"}}}`)
	c.send(initialized, call("1", "x"), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}`, `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	c.expect(failed("1", "main.go:3: no"), `{"id":2,"jsonrpc":"2.0","result":{"tools":[]}}`, `{"id":3,"jsonrpc":"2.0","result":{"resourceTemplates":[]}}`, `{"id":4,"jsonrpc":"2.0","result":{}}`)
	use(t, f, version("raw", "v1"))
	c.expect(toolsNote, promptsNote, resNote)
	c.send(call("5", "x"), `{"jsonrpc":"2.0","id":6,"method":"prompts/list"}`)
	c.expect(result("5", "v1"), `{"id":6,"jsonrpc":"2.0","result":{"prompts":[]}}`) // the server has no prompts, which the client does not know
}

// TestImpatient has a client whose handshake does not wait longer for the first build, and a call that does.
func TestImpatient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFront(t, swap.Options{})
		c := connect(t, f)
		began := time.Now()
		c.send(initialize)
		c.expectText(`"name":"bench dev"`)
		if waited := time.Since(began); waited != 20*time.Second {
			t.Errorf("the handshake waits %v, want 20s", waited)
		}
		c.send(initialized, call("1", "x"))
		time.Sleep(time.Hour)
		c.silent()
		f.Broken("no")
		c.expect(failed("1", "no"))
	})
}

// TestHuge has a server that sends a message that is too long.
func TestHuge(t *testing.T) {
	t.Parallel()
	_, _, c := begin(t, swap.Options{}, version("raw", "v1"))
	c.send(call("1", "huge"))
	c.expect(failed("1", "the server has sent a message of more than 64 MiB"))
	c.send(call("2", "x"))
	c.expect(result("2", "v1"))
}

// TestModern has a client of the modern era with a subscription.
func TestModern(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	env, log := logFile(t)
	modern := "SWAP_REVISION=2026-07-28"
	use(t, f, version("raw", "v1", env, modern))
	c := connect(t, f)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`)
	c.expect(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"resultType":"complete"}}`)
	c.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`)
	c.expect(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
	use(t, f, version("raw", "v2", env, modern))
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
	c.expect(changed)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x",` + modernMeta + `}}`)
	c.expect(result("2", "v2"))
	waitFor(t, "the end of v1", func() bool { return strings.Contains(log(), "v1 end of stdin") }) // it does not wait for the subscription
	if strings.Contains(log(), `v2 {"id":1,`) || !strings.Contains(log(), `v2 {"jsonrpc":"2.0","id":"l","method":"subscriptions/listen"`) {
		t.Errorf("v2 does not get the subscription:\n%s", log())
	}
	f.Building()
	err := f.Use(t.Context(), version("raw", "v3", env, "SWAP_REVISION=2027-01-01"))
	const why = "the server supports revision 2027-01-01 of the protocol, but the session of the client has 2026-07-28: connect the client again"
	if err == nil || err.Error() != why {
		t.Errorf("the error is %v, want %s", err, why)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x",` + modernMeta + `}}`)
	c.expect(`{"id":3,"jsonrpc":"2.0","result":{"content":[{"text":"` + why + `","type":"text"}],"isError":true,"resultType":"complete"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	use(t, f, version("raw", "v4", env, modern))
	c.silent() // the subscription has ended
}

// TestProbe has a client that asks for the modern era first, and a server of the legacy era: before its first build, and while
// it is replaced.
func TestProbe(t *testing.T) {
	t.Parallel()
	probe := func(id string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"server/discover","params":{` + modernMeta + `}}`
	}
	const refused = `"error":{"code":-32601,"message":"unknown method"}`
	f, _ := newFront(t, swap.Options{})
	c := connect(t, f)
	c.send(probe("a"), `{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	c.expectText(`"ping"`) // the front has both
	use(t, f, version("raw", "v1"))
	c.expectText(`"a"`, refused)
	c.send(probe("b"))
	c.expectText(`"b"`, refused)
	use(t, f, version("raw", "v2"))
	if got := c.initialize(); !strings.Contains(got, `"version":"v2"`) {
		t.Errorf("initialize returns %s", got)
	}
	c.send(call("1", "x"))
	c.expect(result("1", "v2"))
	use(t, f, version("raw", "v3"))
	c.expect(toolsNote, resNote)
	c.send(call("2", "x"))
	c.expect(result("2", "v3"))
}

// TestRestartedSubscription has a subscription that starts the process again, which gets it once.
func TestRestartedSubscription(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	env, log := logFile(t)
	use(t, f, version("raw", "v1", env, "SWAP_REVISION=2026-07-28"))
	c := connect(t, f)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`)
	c.expectText(`"id":1`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"exit",` + modernMeta + `}}`)
	c.expectText(`"id":2`, "exit status 4")
	const method = `"method":"subscriptions/listen"`
	c.send(`{"jsonrpc":"2.0","id":3,` + method + `,"params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}`)
	c.expectText("notifications/subscriptions/acknowledged")
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x",` + modernMeta + `}}`)
	c.expect(result("4", "v1"))
	if n := strings.Count(log(), method); n != 1 {
		t.Errorf("the process gets the subscription %d times:\n%s", n, log())
	}
}

// TestNewCapability has a version with a capability that the client does not know.
func TestNewCapability(t *testing.T) {
	t.Parallel()
	f, j, c := begin(t, swap.Options{}, version("raw", "v1"))
	use(t, f, version("raw", "v2", `SWAP_CAPABILITY=,"prompts":{}`))
	c.expect(toolsNote, resNote)
	if want := "LOG the new version has prompts, which a client learns when it connects again\n"; j.String() != want {
		t.Errorf("the journal is %q, want %q", j, want)
	}
}

// TestOtherRevision has a version that negotiates another revision than the session has.
func TestOtherRevision(t *testing.T) {
	t.Parallel()
	f, _, c := begin(t, swap.Options{}, version("raw", "v1"))
	f.Building()
	err := f.Use(t.Context(), version("raw", "v2", "SWAP_REVISION=2025-03-26"))
	const why = "the server supports revision 2025-03-26 of the protocol, but the session of the client has 2025-06-18: connect the client again"
	if err == nil || err.Error() != why {
		t.Errorf("the error is %v, want %s", err, why)
	}
	c.send(call("1", "x"), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	c.expect(failed("1", why))
	c.expectText(`"id":2`, `"name":"v1"`)
}

// TestBadVersions has versions that do not start.
func TestBadVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		version swap.Version
		why     string
	}{
		{"it dies at once", version("dies", ""), "the server has ended (exit status 3); its stderr:\npanic: no token"},
		{"it never answers", version("silent", ""), "the server does not answer initialize within 5s"},
		{"it does not exist", swap.Version{Command: []string{"/no/such/program"}}, "/no/such/program is not found; give the path of a program, or its name if it is in PATH"},
		{"it has no directory", swap.Version{Command: []string{"true"}, Dir: "/no/such"}, "the directory /no/such cannot be used: no such file or directory"},
		{"it has no command", swap.Version{}, "a version needs a command"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := swap.Options{}
			if strings.Contains(test.why, "5s") {
				o.Start = 5 * time.Second // on a busy machine, good versions need seconds to answer
			}
			empty, _ := newFront(t, o)
			first := connect(t, empty)
			first.send(initialize)
			empty.Building()
			_ = empty.Use(t.Context(), test.version) // the handshake of the client is answered later
			if test.why == "a version needs a command" {
				empty.Broken(test.why)
			}
			first.expectText(`"name":"bench dev"`)
			first.send(initialized, call("1", "x"))
			first.expect(failed("1", test.why))

			f, _, c := begin(t, o, version("raw", "v1"))
			f.Building()
			if err := f.Use(t.Context(), test.version); err == nil || err.Error() != test.why {
				t.Errorf("the error is %v, want %s", err, test.why)
			}
			if test.why == "a version needs a command" {
				f.Broken(test.why)
			}
			c.send(call("1", "x"), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			c.expect(failed("1", test.why))
			c.expectText(`"id":2`, `"name":"v1"`)
			use(t, f, version("raw", "v2"))
			c.expect(toolsNote, resNote)
			c.send(call("3", "x"))
			c.expect(result("3", "v2"))
		})
	}
}

// TestUseCancelled has a start that is cancelled by the next build.
func TestUseCancelled(t *testing.T) {
	t.Parallel()
	f, _, c := begin(t, swap.Options{}, version("raw", "v1"))
	f.Building()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := f.Use(ctx, version("silent", "v2")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	c.send(call("1", "x"))
	c.silent()
	if err := f.Use(t.Context(), version("raw", "v3")); err != nil {
		t.Fatal(err)
	}
	c.expect(toolsNote, resNote, result("1", "v3"))
}

// TestCrash has a process that ends in a call, and is started again for the next one.
func TestCrash(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	_, j, c := begin(t, swap.Options{Redact: func(text string) string { return strings.ReplaceAll(text, "told to", "REDACTED") }}, version("raw", "v1", env))
	const why = "the server has ended (exit status 4); its stderr:\npanic: REDACTED"
	for _, id := range []string{"1", "2"} {
		c.send(call(id, "exit"))
		c.expect(failed(id, why))
	}
	c.send(call("3", "x"))
	c.expect(result("3", "v1"))
	if n := strings.Count(log(), initialized); n != 3 {
		t.Errorf("%d processes were initialized, want 3", n)
	}
	if n := strings.Count(j.String(), "LOG the server has ended (exit status 4)"); n != 2 {
		t.Errorf("the end is logged %d times:\n%s", n, j)
	}
}

// TestNoise has a server that prints to stdout.
func TestNoise(t *testing.T) {
	t.Parallel()
	f, j := newFront(t, swap.Options{})
	c := connect(t, f)
	c.send(initialize)
	use(t, f, version("chatter", "v1"))
	c.expectText(`"version":"v1"`)
	want := "LOG a bug of the server: it prints \"listening on stdout\" to stdout, which carries nothing but MCP; print to stderr\nlistening on stdout\n"
	if !strings.Contains(j.String(), want) {
		t.Errorf("the journal is\n%s\nwant\n%s", j, want)
	}
}

// TestEndWhileBuilding: requests that wait for a build are answered after the end of stdin, as when a script is piped in.
func TestEndWhileBuilding(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	var out strings.Builder
	ended := make(chan error, 1)
	go func() {
		ended <- f.ServeStdio(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n"), &out)
	}()
	use(t, f, version("raw", "v1"))
	if err := <-ended; err != nil || !strings.Contains(out.String(), `"id":1,`) {
		t.Errorf("error %v; it has answered %q", err, out.String())
	}
}

// TestBeginsAgain has a client that does the handshake again, with a version that runs and while another one is started.
func TestBeginsAgain(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	c.send(strings.Replace(initialize, `"id":0`, `"id":1`, 1), call("2", "x"))
	c.expectText(`"id":1`, `"version":"v1"`)
	c.expect(result("2", "v1"))
	c.send(initialized)
	f.Building()
	used := make(chan error, 1)
	go func() { used <- f.Use(t.Context(), version("raw", "v2", env)) }()
	waitFor(t, "the handshake of v2", func() bool { return strings.Contains(log(), "v2 ") })
	c.send(strings.Replace(initialize, `"id":0`, `"id":3`, 1))
	if err := <-used; err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, `"id":3`); { // v2 may be ready before
		text = c.next()
	}
	c.send(initialized, call("4", "x"))
	c.expect(result("4", "v2"))
}

// TestEndedBefore has a client whose context has ended before it is served, as after an early interrupt.
func TestEndedBefore(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	use(t, f, version("raw", "v1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.ServeStdio(ctx, strings.NewReader(call("1", "x")+"\n"), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	c := connect(t, f)
	c.initialize()
	c.send(call("1", "x"))
	c.expect(result("1", "v1"))
}

// TestDeafClient has a client that reads nothing. Builds and the end of the front do not wait for it.
func TestDeafClient(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(f *swap.Front, cancel func()){
		"its context ends":    func(_ *swap.Front, cancel func()) { cancel() },
		"the front is closed": func(f *swap.Front, _ func()) { _ = f.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := newFront(t, swap.Options{})
			use(t, f, version("raw", "v1"))
			fromClient, in := io.Pipe()
			out, toClient := io.Pipe()
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { ended <- f.ServeStdio(ctx, fromClient, toClient) }()
			for _, line := range []string{initialize, initialized} {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			go func() { // more than fits
				for i := range 1000 {
					_, _ = io.WriteString(in, call(strconv.Itoa(i+1), "x")+"\n") // an error ends the test below
				}
			}()
			time.Sleep(300 * time.Millisecond) // until nothing fits
			go func() {
				f.Changed()
				f.Building()
				f.Broken("no")
				f.Building()
				if err := f.Use(ctx, version("raw", "v2")); err != nil {
					t.Error(err)
				}
				end(f, cancel)
			}()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("no error")
				}
			case <-time.After(patient):
				t.Error("ServeStdio does not return")
			}
			_, _ = out.Close(), fromClient.Close()
		})
	}
}

// TestSecondClient has two clients on stdio at the same time.
func TestSecondClient(t *testing.T) {
	t.Parallel()
	f, _, c := begin(t, swap.Options{}, version("raw", "v1"))
	const want = "another client is connected over stdio"
	if err := f.ServeStdio(t.Context(), strings.NewReader(""), io.Discard); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	c.send(call("1", "x"))
	c.expect(result("1", "v1"))
}

// TestEnd checks the result of ServeStdio, and that nothing is left running.
func TestEnd(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _, c := begin(t, swap.Options{}, version("raw", "v1", env))
	_ = c.in.Close()
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log(), "v1 end of stdin") {
		t.Errorf("the log is\n%s", log())
	}
	use(t, f, version("dies", "v2"))
	c = connect(t, f)
	_ = c.in.Close()
	var exit *exec.ExitError
	if err := c.end(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the error is %v, want exit status 3", err)
	}
	use(t, f, version("raw", "v3", env))
	c = connect(t, f)
	c.initialize()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := c.end(); err == nil {
		t.Error("no error after Close")
	}
	if !strings.Contains(log(), "v3 end of stdin") {
		t.Errorf("the log is\n%s", log())
	}
	if err := f.Use(t.Context(), version("raw", "v4")); err == nil {
		t.Error("no error of Use after Close")
	}
	if err := f.ServeStdio(t.Context(), strings.NewReader(""), new(strings.Builder)); err == nil {
		t.Error("no error of ServeStdio after Close")
	}
}
