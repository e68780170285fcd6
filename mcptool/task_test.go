package mcptool_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

type exportIn struct {
	_ struct{} `mcp:"name=export,task=required"`
}

type taskSettings struct {
	support   mcptool.TaskSupport
	ttl, poll time.Duration
}

func TestTask(t *testing.T) {
	t.Parallel()
	export := func(context.Context, exportIn) (None, error) { return None{}, nil }
	for _, test := range []struct {
		name string
		tool *mcptool.Tool
		want taskSettings
	}{
		{"default", mustNew(t, done), taskSettings{support: private.TaskForbidden}},
		{"empty", mustNew(t, done, mcptool.Task("")), taskSettings{support: private.TaskForbidden}},
		{"forbidden", mustNew(t, done, mcptool.Task(private.TaskForbidden)), taskSettings{support: private.TaskForbidden}},
		{"by option", mustNew(t, done, mcptool.Task(mcptool.TaskSupportOptional)), taskSettings{support: mcptool.TaskSupportOptional}},
		{"by tag", mustNew(t, export), taskSettings{support: mcptool.TaskSupportRequired}},
		{"by tag and option", mustNew(t, export, mcptool.Task(mcptool.TaskSupportRequired)), taskSettings{support: mcptool.TaskSupportRequired}},
		{
			"with times", mustNew(t, export, mcptool.TaskTTL(time.Hour), mcptool.PollInterval(time.Minute)),
			taskSettings{support: mcptool.TaskSupportRequired, ttl: time.Hour, poll: time.Minute},
		},
	} {
		s := internals.Settings(test.tool)
		if got := (taskSettings{s.Task, s.TaskTTL, s.PollInterval}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

type badTask struct {
	_ struct{} `mcp:"name=bad,task=always"`
}

func TestTaskMistakes(t *testing.T) {
	t.Parallel()
	bad := func(context.Context, badTask) (None, error) { return None{}, nil }
	_, err := mcptool.New(bad)
	wantMistakes(t, registerError(t, nil, err), `the mcp tag sets task to "always"; write task=optional, task=required or task=forbidden`)
	_, err = mcptool.New(done, mcptool.Task("never"), mcptool.Durable(true), mcptool.TaskTTL(time.Hour))
	wantMistakes(t, registerError(t, nil, err), `the option Task sets task to "never"; write task=optional, task=required or task=forbidden`)
	_, err = mcptool.New(done, mcptool.Task(mcptool.TaskSupportOptional), mcptool.Task(mcptool.TaskSupportRequired))
	wantMistakes(t, registerError(t, nil, err), `the option Task sets "optional", and the option Task sets "required"`)
	_, err = mcptool.New(done, mcptool.TaskTTL(time.Hour))
	wantMistakes(t, registerError(t, nil, err), "the option TaskTTL applies only to tasks, which the tool does not support; pass Task(TaskSupportOptional)")
	_, err = mcptool.New(done, mcptool.Task(mcptool.TaskSupportOptional), mcptool.PollInterval(-1))
	wantMistakes(t, registerError(t, nil, err), "the option PollInterval is -1ns; pass a millisecond or more")
	_, err = mcptool.New(done, mcptool.Durable(true))
	wantMistakes(t, registerError(t, nil, err), "the option Durable applies only to tasks, which the tool does not support; pass Task(TaskSupportOptional), or write task=optional in the tag")
}

type durableTask struct {
	_ struct{} `mcp:"name=long,task=optional,durable"`
}

// TestDurable: the tag and the option have the same effect, and a tool is not durable by default.
func TestDurable(t *testing.T) {
	t.Parallel()
	tagged, err := mcptool.New(func(context.Context, durableTask) (None, error) { return None{}, nil })
	if err != nil || !internals.Settings(tagged).Durable {
		t.Errorf("by the tag: %v", err)
	}
	optional, err := mcptool.New(done, mcptool.Task(mcptool.TaskSupportOptional), mcptool.Durable(true))
	if err != nil || !internals.Settings(optional).Durable {
		t.Errorf("by the option: %v", err)
	}
	plain, err := mcptool.New(done, mcptool.Task(mcptool.TaskSupportOptional), mcptool.Durable(false))
	if err != nil || internals.Settings(plain).Durable {
		t.Errorf("default: %v", err)
	}
}
