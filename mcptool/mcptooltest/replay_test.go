package mcptooltest_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

type roomIn struct {
	Room string `json:"room"`
}

type roomOut struct {
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// bookingServer has a tool that asks the user and reports progress, and one that only runs as a task.
func bookingServer(t *testing.T, text string) *runtime.Server {
	t.Helper()
	book, err := mcptool.New(func(ctx context.Context, in roomIn) (roomOut, error) {
		if err := mcptool.Confirm(ctx, "Book "+in.Room+"?"); err != nil {
			return roomOut{}, err
		}
		mcptool.Progress(ctx, 1, 2, "booking")
		return roomOut{text, time.Now()}, nil
	}, mcptool.Name("book"))
	if err != nil {
		t.Fatal(err)
	}
	export, err := mcptool.New(func(context.Context, struct{}) (string, error) {
		time.Sleep(300 * time.Millisecond)
		return text, nil
	}, mcptool.Name("export"), mcptool.Task(mcptool.TaskSupportRequired))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(book, export); err != nil {
		t.Fatal(err)
	}
	return &runtime.Server{Name: "booking", Version: "1", Tools: registry, Tasks: tasks.New(nil), Logger: slog.New(slog.DiscardHandler)}
}

// sessions are sessions with bookingServer in both eras. The messages of the server have the right ids and handles, and
// nothing else: MCPTOOL_UPDATE writes the rest.
var sessions = map[string]string{
	"legacy": `%transcript 1
%ignore **.time
%ignore **.taskId
%ignore *.task.createdAt
%ignore *.task.lastUpdatedAt
%ignore *.createdAt
%ignore *.lastUpdatedAt
-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}
<- {"jsonrpc":"2.0","id":0,"result":{}}
-> {"jsonrpc":"2.0","method":"notifications/initialized"}
-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":{"room":"A1"},"_meta":{"progressToken":1}}}
<- {"jsonrpc":"2.0","id":"of the server","method":"elicitation/create","params":{}}
-> {"jsonrpc":"2.0","id":"of the server","result":{"action":"accept","content":{"confirm":true}}}
<- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}
<- {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"time":"then"}}}
-> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"export","task":{"ttl":60000}}}
<- {"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"old","createdAt":"then","lastUpdatedAt":"then"}}}
-> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"old"}}
<- {"jsonrpc":"2.0","id":3,"result":{"taskId":"old","status":"working"}}
-> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"old"}}
<- {"jsonrpc":"2.0","id":4,"result":{"taskId":"old","status":"completed","createdAt":"then","lastUpdatedAt":"then"}}
-> {"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"old"}}
<- {"jsonrpc":"2.0","id":5,"result":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"old"}}}}
`,
	"modern": strings.ReplaceAll(`%transcript 1
%ignore **.time
%ignore result.taskId
%ignore result.createdAt
%ignore result.lastUpdatedAt
-> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"book","arguments":{"room":"A1"}}}
<- {"jsonrpc":"2.0","id":1,"result":{"requestState":"old","resultType":"input_required"}}
-> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{META,"name":"book","arguments":{"room":"A1"},"requestState":"old","inputResponses":{"q1":{"action":"accept","content":{"confirm":true}}}}}
<- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}
<- {"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"time":"then"}}}
-> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{META,"name":"export"}}
<- {"jsonrpc":"2.0","id":3,"result":{"taskId":"old","createdAt":"then","lastUpdatedAt":"then"}}
-> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{META,"taskId":"old"}}
<- {"jsonrpc":"2.0","id":4,"result":{"taskId":"old","status":"completed","createdAt":"then","lastUpdatedAt":"then"}}
`, "META", `"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`),
}

// replayed returns the messages of Replay.
func replayed(t *testing.T, srv *runtime.Server, path string) (told *listener) {
	t.Helper()
	told = &listener{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(told) {
			panic(p)
		}
	}()
	mcptooltest.Replay(told, srv, path)
	return told
}

func TestReplay(t *testing.T) {
	for era, session := range sessions {
		t.Run(era, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.txt")
			if err := os.WriteFile(path, []byte(session), 0o600); err != nil {
				t.Fatal(err)
			}
			srv := bookingServer(t, "booked")
			if told := replayed(t, srv, path); told.fatal != "" || !strings.Contains(told.errors, "result.content is new") || !strings.Contains(told.errors, "MCPTOOL_UPDATE=1") {
				t.Errorf("before the update: %+v, want differences and how to accept them", told)
			}
			t.Setenv("MCPTOOL_UPDATE", "1")
			if told := replayed(t, srv, path); told.fatal+told.errors != "" {
				t.Fatalf("writing the file: %+v", told)
			}
			t.Setenv("MCPTOOL_UPDATE", "")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`"text": "booked"`, `"Book A1?"`, `"message": "booking"`, `"progress": 1`, `"status": "completed"`} {
				if !strings.Contains(string(text), want) {
					t.Errorf("the file lacks %s:\n%s", want, text)
				}
			}
			for range 2 {
				if told := replayed(t, bookingServer(t, "booked"), path); told.fatal+told.errors != "" {
					t.Errorf("after the update: %+v", told)
				}
			}
			told := replayed(t, bookingServer(t, "reserved"), path)
			want := ": tools/call book\n  result.structuredContent.text\n    was \"booked\"\n    is  \"reserved\"\n  result.content[0].text.text\n"
			if !strings.Contains(told.errors, want) || strings.Contains(told.errors, ".time") {
				t.Errorf("a changed server: %s, want %s", told.errors, want)
			}
		})
	}
}

func TestReplayBadFile(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ text, want string }{
		"cut": {sessions["modern"][:len(sessions["modern"])-20], "session.txt:14: the file ends within a message"},
		"bad": {"%transcript 1\nx", "session.txt: line 2: "},
		"new": {"%transcript 7\n", "session.txt: line 1: version \"7\""},
	} {
		path := filepath.Join(dir, "session.txt")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if told := replayed(t, bookingServer(t, "booked"), path); !strings.Contains(told.fatal+told.errors, test.want) {
			t.Errorf("%s: %+v, want %s", name, told, test.want)
		}
	}
	if told := replayed(t, bookingServer(t, "booked"), filepath.Join(dir, "none.txt")); !strings.Contains(told.fatal, "none.txt") {
		t.Errorf("without a file: %+v", told)
	}
	if told := replayed(t, nil, "x"); !strings.Contains(told.fatal, "needs a server") {
		t.Errorf("without a server: %+v", told)
	}
}
