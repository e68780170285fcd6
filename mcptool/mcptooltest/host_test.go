package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestReplayIgnored: with Replay, a func fails if it ignores the error of a question and returns a result. If the
// result has IsError, the func runs again.
func TestReplayIgnored(t *testing.T) {
	t.Parallel()
	isError := false
	ignores := func(ctx context.Context, _ struct{}) (*mcptool.Result, error) {
		err := mcptool.Confirm(ctx, "Sure?")
		return &mcptool.Result{IsError: isError && err != nil}, nil
	}
	tool, err := mcptool.New(ignores, mcptool.Name("x"))
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := mcptool.NewPrompt(func(ctx context.Context, _ struct{}) (string, error) { return "", ignore(ctx) }, mcptool.Name("x"))
	if err != nil {
		t.Fatal(err)
	}
	client := func() *mcptooltest.Client { return &mcptooltest.Client{Answers: []any{true}, Replay: true} }
	if res, err := client().Call(t.Context(), tool, nil); !isAskError(err) {
		t.Errorf("the tool returns %v, %v", res, err)
	}
	if res, err := client().Prompt(t.Context(), prompt, nil); !isAskError(err) {
		t.Errorf("the prompt returns %v, %v", res, err)
	}
	isError = true
	if res, err := client().Call(t.Context(), tool, nil); err != nil || res.IsError {
		t.Errorf("with IsError the tool returns %v, %v", res, err)
	}
}

// ignore asks the user and ignores the error.
func ignore(ctx context.Context) error {
	_ = mcptool.Confirm(ctx, "Sure?")
	return nil
}

func isAskError(err error) bool {
	_, ok := errors.AsType[*mcptool.AskError](err)
	return ok
}

// TestAsked: a client records all questions, whether the func waits or runs again.
func TestAsked(t *testing.T) {
	t.Parallel()
	sample := mcptool.SampleRequest{Messages: []mcptool.Message{{Content: mcptool.Text{Text: "Hello"}}}, MaxTokens: 9}
	ask := func(ctx context.Context, _ struct{}) (struct{}, error) {
		var form struct {
			Size int `json:"size"`
		}
		var text mcptool.SampleResult
		var roots []mcptool.Root
		return struct{}{}, mcptool.AskAll(ctx, mcptool.ElicitPart(&form, "Which size?", mcptool.Key("size")),
			mcptool.ElicitURLPart("https://example.com/pay", "Pay"), mcptool.SamplePart(&text, sample), mcptool.RootsPart(&roots))
	}
	tool, err := mcptool.New(ask, mcptool.Name("x"))
	if err != nil {
		t.Fatal(err)
	}
	sent := sample
	sent.Messages = []mcptool.Message{{Role: mcptool.RoleUser, Content: sample.Messages[0].Content}}
	want := []mcptooltest.Request{
		{
			Capability: "elicitation.form", Key: "size", Message: "Which size?",
			Form: json.RawMessage(`{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}`),
		},
		{Capability: "elicitation.url", Message: "Pay", URL: "https://example.com/pay"},
		{Capability: "sampling", Sample: &sent},
		{Capability: "roots"},
	}
	for _, replay := range []bool{false, true} {
		user := &mcptooltest.Client{Replay: replay, Answers: []any{map[string]int{"size": 3}, true, mcptool.SampleResult{Text: "Hi"}, []mcptool.Root{}}}
		if _, err := user.Call(t.Context(), tool, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, user.Asked()); diff != "" {
			t.Errorf("replay %v (-want +got):\n%s", replay, diff)
		}
	}
}

// TestContext: a completion runs with the context of the client.
func TestContext(t *testing.T) {
	t.Parallel()
	suggest := func(ctx context.Context, _ string, _ struct{}) ([]string, error) { // the func of [mcptool.Complete]
		mcptool.Logger(ctx).Info("completed")
		mcptool.Progress(ctx, 1, 2, "half")
		return []string{mcptool.Caller(ctx).Principal}, mcptool.Confirm(ctx, "Sure?")
	}
	ann := &mcptooltest.Client{Principal: "ann", Answers: []any{true}, Replay: true}
	got, err := suggest(ann.Context(t.Context()), "", struct{}{})
	if err != nil || len(got) != 1 || got[0] != "ann" || len(ann.LogRecords()) != 1 || len(ann.ProgressReports()) != 1 {
		t.Errorf("got %+v, %v, logged %v, reported %v", got, err, ann.LogRecords(), ann.ProgressReports())
	}
}
