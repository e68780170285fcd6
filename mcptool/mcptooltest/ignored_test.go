package mcptooltest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestReplayIgnored: with Replay, a func that ignores the error of a question and returns a result fails, and one that returns
// a result with IsError runs again.
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

// ignore asks and ignores the error.
func ignore(ctx context.Context) error {
	_ = mcptool.Confirm(ctx, "Sure?")
	return nil
}

func isAskError(err error) bool {
	_, ok := errors.AsType[*mcptool.AskError](err)
	return ok
}
