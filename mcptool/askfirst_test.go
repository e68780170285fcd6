package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type deleteIn struct {
	_     struct{} `mcp:"name=delete,destructive,askFirst=Delete {count} files of {path}\\, {mode}{note}?"`
	Path  string   `json:"path"`
	Count int      `json:"count"`
	Mode  string   `json:"mode" jsonschema:"default=softly"`
	Note  *string  `json:"note"`
}

// TestAskFirst: the tool runs only if the user accepts, and the question contains the actual arguments.
func TestAskFirst(t *testing.T) {
	t.Parallel()
	ran := 0
	tool := mustNew(t, func(context.Context, deleteIn) (None, error) { ran++; return None{}, nil })
	for _, test := range []struct {
		name, args string
		answer     any
		question   string
		runs       int
	}{
		{"yes", `{"path":"/tmp","count":3}`, true, "Delete 3 files of /tmp, softly(none)?", 1},
		{"no", `{"path":"/tmp","count":3}`, false, "Delete 3 files of /tmp, softly(none)?", 0},
		{"decline", `{"path":"/tmp","count":3,"note":"!"}`, mcptooltest.RefusalDecline, "Delete 3 files of /tmp, softly!?", 0},
		{"control characters", `{"path":"a\nb\u202ec","count":3}`, true, "Delete 3 files of a·b·c, softly(none)?", 1},
		{"long text", `{"path":"` + strings.Repeat("é", 2000) + `","count":3}`, true, "Delete 3 files of " + strings.Repeat("é", 2000) + ", softly(none)?", 1},
		{"too long to display", `{"path":"` + strings.Repeat("é", 2001) + `","count":3}`, nil, "", 0},
		{"invalid arguments", `{"path":"/tmp","count":"x"}`, nil, "", 0},
	} {
		for _, replay := range []bool{false, true} {
			ran = 0
			user := &mcptooltest.Client{Replay: replay, Answers: []any{test.answer}}
			_, err := user.Call(t.Context(), tool, []byte(test.args))
			if ran != test.runs || (err == nil) != (test.runs == 1) {
				t.Errorf("%s: ran %d times, %v", test.name, ran, err)
			}
			question := ""
			if asked := user.Asked(); len(asked) == 1 {
				question = asked[0].Message
			}
			if question != test.question {
				t.Errorf("%s: asked %q, want %q", test.name, question, test.question)
			}
		}
	}
	ran = 0
	if _, err := tool.Call(t.Context(), []byte(`{"path":"/tmp","count":3}`)); err == nil || ran != 0 {
		t.Errorf("without a client: ran %d times, %v", ran, err)
	}
}

// TestAskFirstRaw: a tool with a handwritten schema asks as well.
func TestAskFirstRaw(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.NewRaw("raw", json.RawMessage(`{"type":"object","properties":{"a":true,"b":{"default":{"c":1}}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, mcptool.AskFirst("{a} and {b}?"))
	if err != nil {
		t.Fatal(err)
	}
	user := &mcptooltest.Client{Answers: []any{false}}
	if _, err := user.Call(t.Context(), tool, []byte(`{"a":[1, 2]}`)); !errors.Is(err, mcptool.ErrDeclined) || user.Asked()[0].Message != `[1, 2] and {"c":1}?` {
		t.Errorf("%v, asked %v", err, user.Asked())
	}
}

// TestAskFirstMistakes: mistakes are reported when the tool is defined.
func TestAskFirstMistakes(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"Delete {pat}?":    `unknown argument "pat"; write {path}`,
		"Delete {zzzzzz}?": `unknown argument "zzzzzz"; the arguments are path`,
		"Delete {path?":    "a brace is not closed",
		" ":                "the question is empty",
	} {
		type in struct {
			Path string `json:"path"`
		}
		tool, err := mcptool.New(func(context.Context, in) (None, error) { return None{}, nil }, mcptool.Name("n"), mcptool.AskFirst(question))
		wantMistakes(t, registerError(t, tool, err), "the option AskFirst: "+want)
	}
}
