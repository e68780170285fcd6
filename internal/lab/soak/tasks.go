package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// export calls a tool that runs as a task if the revision supports tasks, else
// synchronously.
func export(ctx context.Context, v *scenario) error {
	n := v.Int64()
	result, id, err := v.beginTask(ctx, n, v.IntN(200))
	if err != nil {
		return err
	}
	if id == "" {
		return result.is(v.rev, server.Number{N: n})
	}
	if result, err = v.outcome(ctx, id); err != nil {
		return err
	}
	return result.is(v.rev, server.Number{N: n})
}

// beginTask calls export. If it runs as a task, it returns the task id.
func (v *scenario) beginTask(ctx context.Context, n int64, ms int) (result *toolResult, id string, err error) {
	params := object{"name": "export", "arguments": object{"n": n, "ms": ms}}
	if v.rev == "2025-11-25" {
		params["task"] = object{"ttl": 10_000}
	}
	result, _, err = v.callWith(ctx, params)
	if err != nil {
		return nil, "", err
	}
	if v.rev == "2025-11-25" && result.Task.ID == "" {
		return nil, "", fmt.Errorf("got %s, want a task", encode(result))
	}
	return result, result.Task.ID + result.TaskID, nil
}

// task is the state of a task.
type task struct {
	Status string `json:"status"`
	Result json.RawMessage
}

// outcome waits for the result of a task.
func (v *scenario) outcome(ctx context.Context, id string) (*toolResult, error) {
	if v.rev == "2025-11-25" {
		r, err := v.ask(ctx, "tasks/result", object{"taskId": id})
		if err != nil {
			return nil, err
		}
		return readResult(r)
	}
	for {
		t, err := v.look(ctx, id)
		if err != nil {
			return nil, err
		}
		switch t.Status {
		case "completed":
			result := &toolResult{}
			return result, json.Unmarshal(t.Result, result)
		case "working":
		default:
			return nil, fmt.Errorf("task status %s", t.Status)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// look requests the state of a task.
func (v *scenario) look(ctx context.Context, id string) (*task, error) {
	r, err := v.ask(ctx, "tasks/get", object{"taskId": id})
	if err != nil {
		return nil, err
	}
	if r.Error != nil {
		return nil, r.Error
	}
	t := &task{}
	return t, json.Unmarshal(r.Result, t)
}

// cancelTask creates a task and cancels it.
func cancelTask(ctx context.Context, v *scenario) error {
	_, id, err := v.beginTask(ctx, 1, 30_000)
	if err != nil {
		return err
	}
	if id == "" {
		return fmt.Errorf("a long call did not become a task")
	}
	r, err := v.ask(ctx, "tasks/cancel", object{"taskId": id})
	if err != nil {
		return err
	}
	if r.Error != nil {
		return r.Error
	}
	t, err := v.look(ctx, id)
	if err == nil && t.Status != "cancelled" {
		err = fmt.Errorf("cancelled task has status %s", t.Status)
	}
	return err
}
