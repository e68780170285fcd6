package transcript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/transcript"
)

// A server is a connection to a server that answers each message with the messages that a func returns.
type server struct {
	react func(m message) []string
	out   chan string
	log   []string
}

// A message is a message of the client.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name, TaskID string
		Arguments    json.RawMessage
	}
	Result json.RawMessage
}

func (s *server) Send(_ context.Context, raw []byte) error {
	s.log = append(s.log, string(raw))
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	for _, out := range s.react(m) {
		s.out <- out
	}
	return nil
}

// pump passes the messages to receive, until one is "exit", or to Close.
func (s *server) pump(receive func([]byte, error)) {
	for m := range s.out {
		if m == "exit" {
			receive(nil, io.ErrUnexpectedEOF)
			return
		}
		receive([]byte(m), nil)
	}
}

func (s *server) Close() error {
	close(s.out)
	return nil
}

// result returns a response.
func result(id json.RawMessage, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// replayed is the outcome of a replay.
type replayed struct {
	report *transcript.Report
	err    error
	log    []string // messages of the client, of all connections
	dials  int
	took   time.Duration
}

// replay replays lines with a server, in fake time.
func replay(t *testing.T, lines string, react func(m message) []string, ignore ...string) (r replayed) {
	t.Helper()
	tr, err := transcript.Parse([]byte("%transcript 1\n" + lines))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var servers []*server
		began := time.Now()
		r.report, r.err = tr.Replay(t.Context(), transcript.Options{Ignore: ignore, Dial: func(_ context.Context, receive func([]byte, error)) (transcript.Conn, error) {
			s := &server{react: react, out: make(chan string, 1<<16)}
			servers = append(servers, s)
			go s.pump(receive)
			return s, nil
		}})
		r.took = time.Since(began)
		r.dials = len(servers)
		for _, s := range servers {
			r.log = append(r.log, s.log...)
		}
	})
	return r
}

const calls = `-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
-> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}
<- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
<- {"jsonrpc":"2.0","id":1,"result":{"n":1}}
<- {"jsonrpc":"2.0","id":2,"result":{"n":2}}
`

func TestReplayOrder(t *testing.T) {
	var first message
	got := replay(t, calls, func(m message) []string {
		if m.Params.Name == "a" {
			first = m
			return nil
		}
		return []string{
			result(m.ID, `{"n":2}`), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, result(first.ID, `{"n":1}`),
		}
	})
	if got.err != nil || len(got.report.Differences) > 0 || got.report.Messages != 3 || got.took > 0 {
		t.Errorf("error %v after %v, report %+v; want 3 messages without differences at once", got.err, got.took, got.report)
	}
}

func TestReplayDifferences(t *testing.T) {
	got := replay(t, calls, func(m message) []string {
		if m.Params.Name == "a" {
			return []string{result(m.ID, `{"n":7,"x":"new"}`)}
		}
		return []string{result(m.ID, `{"n":2}`), `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\u001b[2J"}}`}
	})
	want := `line 4: notifications/progress
  the message is missing
    was {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
line 5: tools/call a
  result.n
    was 1
    is  7
  result.x is new
    is  "new"
line 3: notifications/message
  the message is new
    is  {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\u001b[2J"}}
`
	if got.err != nil {
		t.Fatal(got.err)
	}
	text := got.report.String()
	for part := range strings.SplitAfterSeq(want, "\nline ") {
		if part = strings.TrimSuffix(part, "\nline "); !strings.Contains(text, part) {
			t.Errorf("report\n%s, want it with\n%s", text, part)
		}
	}
	if len(got.report.Differences) != 4 {
		t.Errorf("%d differences, want 4", len(got.report.Differences))
	}
}

// TestReplayUpdate replays the updated transcript with the server that differed.
func TestReplayUpdate(t *testing.T) {
	react := func(m message) []string {
		return []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + m.Params.Name + `"}}`,
			result(m.ID, `{"n":7,"time":"later","handle":"h2"}`),
		}
	}
	lines := "# kept\n%ignore result.time\n%ignore result.handle\n\n" + strings.ReplaceAll(calls, `"n":`, `"time":"before","handle":"h1","n":`) +
		`-> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"c","arguments":{"h1":"h1"}}}` + "\n\n" + `<- {"jsonrpc":"2.0","id":3,"result":{"n":7}}` + "\n"
	got := replay(t, lines, react)
	if got.err != nil || len(got.report.Differences) == 0 {
		t.Fatalf("error %v, report %+v; want differences", got.err, got.report)
	}
	if last := got.log[len(got.log)-1]; !strings.Contains(last, `{"h1":"h2"}`) {
		t.Errorf("the client sends %s, want the new handle", last)
	}
	updated := string(got.report.Updated.Append(nil))
	for _, want := range []string{"# kept\n%ignore result.time\n", `"time": "before"`, `"handle": "h1"`, `"h1": "h1"`, `"n": 7`} {
		if !strings.Contains(updated, want) {
			t.Errorf("updated transcript\n%s, want it with %s", updated, want)
		}
	}
	if strings.Contains(updated, "h2") || strings.Contains(updated, "notifications/progress") {
		t.Errorf("updated transcript\n%s, want it without the new handle and the missing message", updated)
	}
	got = replay(t, strings.TrimPrefix(updated, "%transcript 1\n"), react)
	if got.err != nil || len(got.report.Differences) > 0 {
		t.Errorf("error %v, report of the updated transcript\n%s, want no differences", got.err, got.report)
	}
	if again := string(got.report.Updated.Append(nil)); again != updated {
		t.Errorf("updated again\n%s, want\n%s", again, updated)
	}
}

const question = `-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}
<- {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Sure?"}}
-> {"jsonrpc":"2.0","id":"q1","result":{"action":"accept"}}
<- {"jsonrpc":"2.0","id":1,"result":{"done":true}}
`

func TestReplayAnswersQuestions(t *testing.T) {
	got := replay(t, question, func(m message) []string {
		switch {
		case m.Method != "":
			return []string{`{"jsonrpc":"2.0","id":99,"method":"ping"}`, `{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"Sure?"}}`}
		case string(m.ID) == "77" && string(m.Result) == `{"action":"accept"}`:
			return []string{result(json.RawMessage("1"), `{"done":true}`)}
		default:
			return nil
		}
	})
	if got.err != nil || len(got.report.Differences) > 0 {
		t.Errorf("error %v, report\n%s, want no differences", got.err, got.report)
	}
}

func TestReplayOtherQuestions(t *testing.T) {
	t.Run("none", func(t *testing.T) {
		got := replay(t, question, func(m message) []string { return []string{result(m.ID, `{"done":true}`)} })
		if got.err != nil || len(got.report.Differences) != 1 || got.report.Differences[0].Subject != "elicitation/create" || len(got.log) != 1 {
			t.Errorf("error %v, report\n%s, sent %q; want that only the question is missing, and is not answered", got.err, got.report, got.log)
		}
		if got.took > 3*time.Second {
			t.Errorf("it took %v, want less than the timeout", got.took)
		}
	})
	t.Run("one more", func(t *testing.T) {
		lines := `-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}` + "\n" + `<- {"jsonrpc":"2.0","id":1,"result":{"done":true}}` + "\n"
		react := func(m message) []string {
			if m.Method != "" {
				return []string{`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Sure?"}}`}
			}
			return []string{result(json.RawMessage("1"), `{"done":false}`)}
		}
		got := replay(t, lines, react)
		if got.err != nil || len(got.report.Differences) != 2 || !strings.Contains(got.report.String(), "elicitation/create\n  the message is new") {
			t.Fatalf("error %v, report\n%s, want the new question and the other result", got.err, got.report)
		}
		updated := string(got.report.Updated.Append(nil))
		if got = replay(t, strings.TrimPrefix(updated, "%transcript 1\n"), react); got.err != nil || len(got.report.Differences) > 0 {
			t.Errorf("error %v, report of the updated transcript\n%s\n%s", got.err, got.report, updated)
		}
	})
}

func TestReplayTasks(t *testing.T) {
	lines := `%ignore result.taskId
-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}
<- {"jsonrpc":"2.0","id":1,"result":{"taskId":"t1","status":"working"}}
-> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}
<- {"jsonrpc":"2.0","id":2,"result":{"taskId":"t1","status":"working"}}
-> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t1"}}
<- {"jsonrpc":"2.0","id":3,"result":{"taskId":"t1","status":"completed"}}
`
	polls, last := 0, 5
	react := func(m message) []string {
		if m.Method == "tasks/get" {
			if m.Params.TaskID != "t2" {
				t.Errorf("the client asks for task %q, want t2", m.Params.TaskID)
			}
			if polls++; polls == last {
				return []string{result(m.ID, `{"taskId":"t2","status":"completed"}`)}
			}
		}
		return []string{result(m.ID, `{"taskId":"t2","status":"working"}`)}
	}
	if got := replay(t, lines, react); got.err != nil || len(got.report.Differences) > 0 || polls != last {
		t.Errorf("error %v, %d requests for the task, report\n%s, want no differences after %d", got.err, polls, got.report, last)
	}
	last = 0 // it never ends
	if got := replay(t, lines, react); got.err != nil || len(got.report.Differences) != 1 || got.report.Differences[0].Is != `"working"` || got.took > time.Minute {
		t.Errorf("error %v after %v, report\n%s, want that the status differs after the timeout", got.err, got.took, got.report)
	}
}

func TestReplayIgnores(t *testing.T) {
	lines := `-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
<- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
<- {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"time\":1}"}],"structuredContent":{"time":1}}}
`
	react := func(m message) []string {
		return []string{result(m.ID, `{"content":[{"type":"text","text":"{\"time\":2}"}],"structuredContent":{"time":2}}`)}
	}
	got := replay(t, lines, react, "notifications/progress", "**.time")
	if got.err != nil || len(got.report.Differences) > 0 || got.took > 0 {
		t.Errorf("error %v, report\n%s, want no differences", got.err, got.report)
	}
	if got := replay(t, lines, react, "result[x"); got.err == nil || !strings.Contains(got.err.Error(), "result[x") {
		t.Errorf("error %v, want one that shows the path", got.err)
	}
}

func TestReplaySecrets(t *testing.T) {
	lines := `%secret REPLAY_TOKEN
-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"token":"${REPLAY_TOKEN}"}}}
<- {"jsonrpc":"2.0","id":1,"result":{"echo":"${REPLAY_TOKEN}","other":"${HOME}"}}
`
	if got := replay(t, lines, nil); got.err == nil || !strings.Contains(got.err.Error(), "needs the environment variable REPLAY_TOKEN") {
		t.Errorf("error %v, want one about the missing variable", got.err)
	}
	t.Setenv("REPLAY_TOKEN", `s"12345`)
	got := replay(t, lines, func(m message) []string {
		return []string{result(m.ID, `{"echo":"s\"12345","other":"new","text":"{\"token\":\"\\u0073\\\"12345\"}"}`)}
	})
	if got.err != nil || len(got.report.Differences) != 2 || !strings.Contains(got.log[0], `{"token":"s\"12345"}`) {
		t.Errorf("error %v, sent %q, report\n%s, want the value of the variable in both", got.err, got.log, got.report)
	}
	updated := string(got.report.Updated.Append(nil))
	if shown := updated + got.report.String(); strings.Contains(shown, "12345") || strings.Count(updated, "${REPLAY_TOKEN}") != 3 {
		t.Errorf("updated transcript and report\n%s, want them without the secret", shown)
	}
}

// TestReplaySecretJSON replays a secret that is a JSON object, alone and in a text that is JSON.
func TestReplaySecretJSON(t *testing.T) {
	t.Setenv("REPLAY_ACCOUNT", `{"key":"a b"}`)
	got := replay(t, `%secret REPLAY_ACCOUNT
-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"account":"${REPLAY_ACCOUNT}"}}}
<- {"jsonrpc":"2.0","id":1,"result":{"account":"","text":"{\"account\":\"${REPLAY_ACCOUNT}\"}"}}
`, func(m message) []string {
		return []string{result(m.ID, `{"account":"{\"key\":\"a b\"}","text":"{\"account\":\"{\\\"key\\\":\\\"a b\\\"}\"}"}`)}
	})
	const want = `line 4: tools/call a
  result.account
    was ""
    is  "${REPLAY_ACCOUNT}"
`
	if got.err != nil || got.report.String() != want || !strings.Contains(got.log[0], `"account":"{\"key\":\"a b\"}"`) {
		t.Errorf("error %v, sent %q, report\n%s, want\n%s", got.err, got.log, got.report, want)
	}
}

// TestReplaySecretNumber replays a secret that is also a number, in texts of a transcript that bench record has edited.
func TestReplaySecretNumber(t *testing.T) {
	t.Setenv("REPLAY_PIN", "12345678")
	var secrets transcript.Secrets
	secrets.Add("${REPLAY_PIN}", "12345678")
	secrets.Add("${LONGER}", "1234567890")
	recorded := "%secret REPLAY_PIN\n"
	for _, line := range strings.SplitAfter(`-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"12345678"}}
<- {"jsonrpc":"2.0","id":1,"result":{"n":12345678,"t":"1234567890","12345678":[-1.12345678e9,12345]}}
`, "\n") {
		recorded += string(secrets.Hide([]byte(line)))
	}
	const want = `"result":{"n":"(hidden)","t":"${LONGER}","${REPLAY_PIN}":["(hidden)",12345]}`
	if !strings.Contains(recorded, want) {
		t.Errorf("recorded\n%s, want %s", recorded, want)
	}
	got := replay(t, strings.Replace(recorded, "${LONGER}", "${REPLAY_PIN}90", 1), func(m message) []string {
		return []string{result(m.ID, `{"n":12345678,"t":"`+m.Params.Name+`90","12345678":[-1.12345678e9,12345]}`)}
	})
	if got.err != nil || len(got.report.Differences) > 0 {
		t.Errorf("error %v, report\n%s, want no differences", got.err, got.report)
	}
}

func TestReplayFails(t *testing.T) {
	flood := make([]string, 2000)
	for i := range flood {
		flood[i] = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	}
	for _, test := range []struct {
		name  string
		react func(m message) []string
		want  string
	}{
		{"never answers", func(message) []string { return nil }, "no response to tools/call a of line 2 within 30s"},
		{"dies", func(message) []string { return []string{"exit"} }, "line 3: unexpected EOF"},
		{"sends without end", func(message) []string { return flood }, "line 3: the server has sent 1000 messages that are not in the transcript"},
	} {
		got := replay(t, calls, test.react)
		if got.err == nil || got.err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.name, got.err, test.want)
		}
	}
	got := replay(t, calls, func(m message) []string { return []string{"\x1b[2J", `{"id":1}`, `[]`, result(m.ID, `{}`)} })
	if got.err != nil || strings.Contains(got.report.String(), "\x1b") || strings.Count(got.report.String(), "not a message") < 1 {
		t.Errorf("error %v, report\n%q, want the lines that are not messages, escaped", got.err, got.report)
	}
	if got := replay(t, "# nothing\n", nil); got.err == nil || got.err.Error() != "the transcript has no messages of the server" {
		t.Errorf("error %v, want that there are no messages", got.err)
	}
}

// TestReplayPings replays pings of a server, of which one was not answered.
func TestReplayPings(t *testing.T) {
	lines := `<- {"jsonrpc":"2.0","id":1,"method":"ping"}
<- {"jsonrpc":"2.0","id":2,"method":"ping"}
-> {"jsonrpc":"2.0","id":1,"result":{}}
` + calls
	got := replay(t, lines, func(m message) []string {
		if m.Params.Name == "" {
			return nil
		}
		return []string{`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, result(m.ID, `{"n":`+string(m.ID)+`}`)}
	}, "notifications/progress")
	if got.err != nil || len(got.report.Differences) > 0 || len(got.log) != 4 || !strings.Contains(strings.Join(got.log, "\n"), `{"jsonrpc":"2.0","id":"p","result":{}}`) {
		t.Errorf("error %v, sent %q, report\n%s; want 2 calls and 2 answers to pings", got.err, got.log, got.report)
	}
}

// TestReplayNullID replays an error of a server that could not read the id of the request.
func TestReplayNullID(t *testing.T) {
	lines := `-> {"jsonrpc":"2.0","id":1,"method":"server/discover"}` + "\n" + `<- {"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}` + "\n"
	for text, want := range map[string]int{"no": 0, "yes": 1} {
		got := replay(t, lines, func(message) []string {
			return []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"` + text + `"}}`}
		})
		if got.err != nil || len(got.report.Differences) != want {
			t.Errorf("%s: error %v, report\n%s, want %d differences", text, got.err, got.report, want)
		}
	}
}

func TestReplayEndsWithContext(t *testing.T) {
	tr, err := transcript.Parse([]byte("%transcript 1\n" + calls))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = tr.Replay(ctx, transcript.Options{Dial: func(context.Context, func([]byte, error)) (transcript.Conn, error) {
		return &server{out: make(chan string), react: func(message) []string { cancel(); return nil }}, nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

// TestReplayConnectsAgain replays two sessions of a client in one file.
func TestReplayConnectsAgain(t *testing.T) {
	lines := `-> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{}}
<- {"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown"}}
`
	for range 2 {
		lines += `-> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
<- {"jsonrpc":"2.0","id":1,"result":{}}
-> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cancelled"}}
-> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
`
	}
	got := replay(t, lines, func(m message) []string {
		switch m.Method {
		case "server/discover":
			return []string{`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown"}}`}
		case "notifications/cancelled":
			return []string{result(json.RawMessage("2"), `{}`)} // too late
		default:
			return []string{result(m.ID, `{}`)}
		}
	})
	if got.err != nil || len(got.report.Differences) > 0 || got.dials != 2 || len(got.log) != 7 {
		t.Errorf("error %v, %d connections, sent %q, report\n%s; want 2 connections and no differences", got.err, got.dials, got.log, got.report)
	}
}
