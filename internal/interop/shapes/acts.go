package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// registerActs adds tools with side effects while they run.
func registerActs() {
	mcptool.Register(Report)
	mcptool.Register(Lines)
	mcptool.Register(Wait)
	mcptool.Register(Toggle)
	mcptool.Register(Content)
	mcptool.Register(Fail)
	mcptool.Register(Crash)
}

// ReportIn holds the arguments of Report.
type ReportIn struct {
	_     struct{} `mcp:"readOnly" doc:"Report progress and log a line at every step"`
	Steps int      `json:"steps" jsonschema:"minimum=1,maximum=10,default=3"`
}

// Done is the amount of work done.
type Done struct {
	Steps int `json:"steps"`
}

// Report works in steps that take longer than the least time between two reports.
func Report(ctx context.Context, in ReportIn) (Done, error) {
	for step := range in.Steps {
		mcptool.Progress(ctx, float64(step+1), float64(in.Steps), "a step")
		mcptool.Logger(ctx).Info("a step", "step", step+1)
		select {
		case <-ctx.Done():
			return Done{}, ctx.Err()
		case <-time.After(60 * time.Millisecond):
		}
	}
	return Done{in.Steps}, nil
}

// Lines returns a string, which is sent as text without quotes and escapes.
func Lines(context.Context, None) (string, error) { return "10:00 \"start\"\nline2", nil }

// WaitIn holds the arguments of Wait.
type WaitIn struct {
	_  struct{} `mcp:"readOnly" doc:"Wait, or be cancelled"`
	MS int      `json:"ms" jsonschema:"minimum=0,maximum=60000"`
}

// Wait answers as soon as it is cancelled, so that its answer races the cancellation.
func Wait(ctx context.Context, in WaitIn) (Done, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(in.MS) * time.Millisecond):
	}
	return Done{}, nil
}

// None is an empty argument type with a description of the tool.
type None struct {
	_ struct{} `doc:"Do something that needs no arguments"`
}

// Toggle adds a tool, or removes it if it exists; clients are notified of both.
func Toggle(context.Context, None) (struct{}, error) {
	const name = "extra"
	extra, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	if err != nil || mcptool.Default.Remove(extra) > 0 {
		return struct{}{}, err
	}
	return struct{}{}, mcptool.Default.Add(extra)
}

// Content answers with a block of every kind, with all its members.
func Content(context.Context, None) (*mcptool.Result, error) {
	changed := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	notes := &mcptool.Annotations{Audience: []mcptool.Role{"user", "assistant"}, Priority: new(0.5), LastModified: changed}
	meta := map[string]any{"example.com/k": 1}
	return &mcptool.Result{
		Content: []mcptool.Content{
			mcptool.Text{Text: "text", Annotations: notes, Meta: meta},
			mcptool.Image{Data: []byte("png"), MIMEType: "image/png", Annotations: notes, Meta: meta},
			mcptool.Audio{Data: []byte("wav"), MIMEType: "audio/wav", Annotations: notes, Meta: meta},
			mcptool.ResourceLink{
				URI: "https://example.com/a.csv", Name: "a.csv", Title: "A", Description: "Numbers", MIMEType: "text/csv",
				Size: new(int64(120)), Icons: []mcptool.Icon{{Src: "data:image/png;base64,AA=="}}, Annotations: notes, Meta: meta,
			},
			mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///a.txt", MIMEType: "text/plain", Text: "a"}, Annotations: notes, Meta: meta},
			mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///b", MIMEType: "application/octet-stream", Blob: []byte("b")}},
		},
		Meta: meta,
	}, nil
}

// Fail returns an error.
func Fail(context.Context, None) (Done, error) { return Done{}, mcptool.Errorf("the shop is closed") }

// Crash panics; the server keeps running, and does not reveal why.
func Crash(context.Context, None) (Done, error) {
	panic("a secret") //nolint:forbidigo // the purpose of the tool
}
